import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect } from 'amqplib';

/** The raw limit of a tool call: a request over a quorum queue, two inserts, a reply. */
export async function startRaw(brokerUrl: string, mongoUrl: string) {
  const queue = 'raw.calls';
  const broker = await connect(brokerUrl, { noDelay: true });
  const publishing = await broker.createConfirmChannel();
  await publishing.assertQueue(queue, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  const replying = await connect(brokerUrl, { noDelay: true });
  const replies = await replying.createChannel();
  const { queue: replyTo } = await replies.assertQueue('', { exclusive: true });
  let resolveReply: (() => void) | undefined;
  await replies.consume(replyTo, () => resolveReply?.(), { noAck: true });
  const responder = fork(fileURLToPath(new URL('raw-responder.ts', import.meta.url)), [
    brokerUrl,
    mongoUrl,
    queue,
  ]);
  await once(responder, 'message');
  return {
    async call(): Promise<number> {
      const replied = new Promise<void>((resolve) => (resolveReply = resolve));
      const startedAt = performance.now();
      publishing.publish('', queue, rawCall(), { persistent: true, mandatory: true, replyTo });
      await replied;
      return performance.now() - startedAt;
    },
    async stop(): Promise<void> {
      responder.kill();
      await Promise.all([broker.close(), replying.close()]);
    },
  };
}

/** As long as a real `tool.call`. */
function rawCall(): Buffer {
  const id = randomUUID();
  const body = {
    tool_call_id: `call_${id.replaceAll('-', '').slice(0, 22)}`,
    turn_id: id,
    conversation_id: id,
    n: 1,
    user_id: 'bench',
    tool_name: 'math.add',
    arguments: { a: 17, b: 25 },
    class: 'read',
    timeout_ms: 30_000,
    deadline: new Date().toISOString(),
    reply_to: `orchestrator.${id}`,
  };
  return Buffer.from(
    JSON.stringify({ id, type: 'tool.call', version: '1.0.0', at: new Date().toISOString(), body }),
  );
}
