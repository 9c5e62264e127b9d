import type { Provocation } from '../provocation.js';

const SLOW_MS = 700;

const deadStore: Provocation = {
  says: 'the store is killed',
  fires: [
    { alert: 'SwitchyardStoreUnavailable', labels: { job: 'switchyard-orchestrator' } },
    { alert: 'SwitchyardRoleDown', labels: { job: 'switchyard-orchestrator' } },
  ],
  async provoke({ mongo }) {
    await mongo.kill();
    return () => mongo.restart();
  },
};

const slowStore: Provocation = {
  says: 'every request to the store takes longer',
  fires: [{ alert: 'SwitchyardStoreSlow', labels: { job: 'switchyard-gateway' } }],
  async provoke({ storeLink }) {
    storeLink.delayMs = () => SLOW_MS;
    return async () => void (storeLink.delayMs = () => 0);
  },
};

const deadBroker: Provocation = {
  says: 'the broker is killed',
  fires: [
    { alert: 'SwitchyardBrokerConnectionLost', labels: { job: 'switchyard-gateway' } },
    { alert: 'SwitchyardTargetDown', labels: { job: 'rabbitmq' } },
  ],
  async provoke({ rabbitmq }) {
    await rabbitmq.kill();
    return () => rabbitmq.restart();
  },
};

const brokerAlarm: Provocation = {
  says: 'the broker has less memory than it wants',
  fires: [{ alert: 'SwitchyardBrokerBlocksPublishers', labels: { job: 'switchyard-orchestrator' } }],
  async provoke({ rabbitmq }) {
    await rabbitmq.control('set_vm_memory_high_watermark', 'absolute', '1MB');
    return async () => void (await rabbitmq.control('set_vm_memory_high_watermark', '0.4'));
  },
};

export const serviceProvocations = [deadStore, slowStore, deadBroker, brokerAlarm];
