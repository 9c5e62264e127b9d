import { describeBusContract } from '../../../libs/messaging/testing/bus-contract.js';
import { describeWithServices } from '../../services/test-services.js';
import { createRabbitmqHarness } from './rabbitmq-harness.js';

describeWithServices(['rabbitmq'], 'RabbitMQ', () => {
  describeBusContract('RabbitMQ', () => createRabbitmqHarness());
});
