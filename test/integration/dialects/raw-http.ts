import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  socket: Socket;
  /** What has come so far: head, sizes of chunks and all. */
  text(): string;
  /** All of it, once the server has closed. */
  whole: Promise<string>;
}

/** A POST by hand, for what `fetch` hides; the server closes after it. */
export function openRaw(url: string, path: string, body: unknown): RawAnswer {
  const { hostname, port, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const json = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    'Content-Type: application/json',
  ];
  socket.write([...head, `Content-Length: ${Buffer.byteLength(json)}`, '', json].join('\r\n'));
  const pieces: Buffer[] = [];
  socket.on('data', (piece) => pieces.push(piece));
  const text = () => Buffer.concat(pieces).toString();
  const whole = new Promise<string>((resolve, reject) => {
    socket.once('close', () => resolve(text()));
    socket.once('error', reject);
  });
  return { socket, text, whole };
}
