import { isIPv6, SocketAddress } from 'node:net';

/**
 * The unit of limits per address: an IPv4 address, or the /64 of an IPv6 address, all of which one client has. The same
 * for every spelling of an address, without the port that some proxies add.
 */
export function networkOf(address: string): string {
  const [bare = ''] = withoutPort(address).split('%');
  if (!isIPv6(bare)) return bare;
  const { address: plain } = new SocketAddress({ address: bare, family: 'ipv6' });
  const mapped = /^::ffff:(\d+(?:\.\d+){3})$/.exec(plain)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  const left = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array<string>(left).fill('0'), ...after].slice(0, 4);
  return `${groups.join(':')}::/64`;
}

function withoutPort(address: string): string {
  const [, inBrackets, ipv4] = /^(?:\[([^\]]*)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/.exec(address) ?? [];
  return inBrackets ?? ipv4 ?? address;
}
