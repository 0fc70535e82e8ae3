import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether `ip` is an address on the public internet: never this machine, a private or link-local network, a cloud's
 * metadata service, multicast, or a range kept for documentation, benchmarks, tunnels or carriers.
 *
 * Takes the spellings that name resolution gives (four decimal parts, or IPv6 without brackets). Anything else, zone ids
 * included, is not public. An IPv4 address inside an IPv6 one (mapped, or behind the NAT64 prefix `64:ff9b::/96`) decides
 * by itself; 6to4 and Teredo are refused whole. Source: IANA's registries of special-purpose addresses.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0 || ip.includes('%') || !ipaddr.isValid(ip)) return false;
  // The parser reads `::1.1.1.1` as mapped; the network does not.
  if (/^::\d+\./.test(ip)) return false;

  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast';
  if (address.match(NAT64_PREFIX, 96)) return new ipaddr.IPv4(address.toByteArray().slice(12)).range() === 'unicast';

  // `range()` calls all that it has no name for unicast, `::127.0.0.1` among it; only 2000::/3 is given out.
  return address.match(GLOBAL_UNICAST, 3) && address.range() === 'unicast';
}

/** What IPv6-only networks with DNS64 resolve IPv4-only names to. */
const NAT64_PREFIX = ipaddr.IPv6.parse('64:ff9b::');

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
