import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The network that counts as one client in limits: an IPv4 address; of an IPv6 address the first 64
 * bits, because one machine can use every address that begins with them. Anything else is returned
 * as it is.
 */
export function networkForAddress(ip: string): string {
  if (isIP(ip) !== 6 || !ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
