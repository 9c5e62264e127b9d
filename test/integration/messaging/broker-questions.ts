import type { ProxyMode, TcpProxy } from '../../services/tcp-proxy.js';

/** The class and method of `exchange.declare` and `queue.declare`, as they stand in a frame. */
const DECLARATIONS = [Buffer.from([0, 40, 0, 10]), Buffer.from([0, 50, 0, 10])];

/** Breaks the network when a client asks the broker for its `number`th exchange or queue. Resolves when that happens. */
export function breakAtQuestion(proxy: TcpProxy, number: number, mode: ProxyMode): Promise<void> {
  let asked = 0;
  return new Promise((resolve) => {
    proxy.delayMs = (data) => {
      if (DECLARATIONS.some((method) => data.includes(method)) && ++asked === number) {
        proxy.mode = mode;
        resolve();
      }
      return 0;
    };
  });
}
