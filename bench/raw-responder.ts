import { connect } from 'amqplib';
import mongoose from 'mongoose';

/*
 * The raw limit of a tool call: a consumer of a quorum queue that inserts two documents as durably as a worker
 * does and sends a reply. Nothing of Switchyard. Arguments: broker URL, MongoDB URL, queue.
 */

const [brokerUrl, mongoUrl, queue] = process.argv.slice(2) as [string, string, string];
const database = await mongoose.createConnection(mongoUrl).asPromise();
const claims = database.collection<{ _id: string }>('raw_claims');
const outcomes = database.collection<{ _id: string }>('raw_outcomes');
const writeConcern = { w: 'majority' as const, j: true };
const broker = await connect(brokerUrl, { noDelay: true });
const publishing = await (await connect(brokerUrl, { noDelay: true })).createConfirmChannel();
const consuming = await broker.createChannel();
await consuming.prefetch(20);
await consuming.consume(queue, (delivery) => {
  if (delivery) void respond(delivery);
});
process.send?.('ready');

async function respond(
  delivery: NonNullable<Parameters<Parameters<typeof consuming.consume>[1]>[0]>,
): Promise<void> {
  const call = JSON.parse(delivery.content.toString()) as { body: { tool_call_id: string } };
  const { tool_call_id } = call.body;
  await claims.insertOne({ _id: `${tool_call_id}:1`, ...call.body }, { writeConcern });
  await outcomes.insertOne({ _id: tool_call_id, data: '{"value":42}' } as { _id: string }, { writeConcern });
  const content = Buffer.from(JSON.stringify({ ...call, type: 'tool.result' }));
  publishing.publish('', delivery.properties.replyTo as string, content, { mandatory: true });
  consuming.ack(delivery);
}
