import type { Bus } from '#messaging';

/** By orchestrator: the calls that it last told the others to have in the queues of toolsets. */
export async function listenToCounts(bus: Bus): Promise<Map<string, number>> {
  const told = new Map<string, number>();
  await bus.onControl({ role: 'orchestrator', processId: 'orchestrator-ear' }, ({ type, body }) => {
    if (type !== 'calls.counted') return;
    const { orchestrator, toolsets } = body;
    told.set(
      orchestrator,
      toolsets.reduce((sum, { sent }) => sum + sent, 0),
    );
  });
  return told;
}
