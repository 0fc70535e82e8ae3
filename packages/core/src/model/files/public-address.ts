import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether `ip` is an address on the public internet: never this machine, a private or link-local
 * network, a cloud's metadata service, multicast, or a range reserved for documentation,
 * benchmarks, tunnels or carriers.
 *
 * Accepts the forms that name resolution returns (four decimal parts, or IPv6 without brackets).
 * Anything else, zone ids included, is not public. An IPv4 address inside an IPv6 one (mapped, or
 * behind the NAT64 prefix `64:ff9b::/96`) is checked itself; all 6to4 and Teredo addresses are
 * refused. Source: IANA's registries of special-purpose addresses.
 */
export function isPublicAddress(ip: string): boolean {
  if (isIP(ip) === 0 || ip.includes('%') || !ipaddr.isValid(ip)) return false;
  // The parser treats `::1.1.1.1` as mapped; the network does not.
  if (/^::\d+\./.test(ip)) return false;

  const address = ipaddr.process(ip);
  if (address instanceof ipaddr.IPv4) return isPublicIPv4(address);
  if (address.match(NAT64_PREFIX, 96)) return isPublicIPv4(new ipaddr.IPv4(address.toByteArray().slice(12)));

  // `range()` returns unicast for all unnamed ranges, such as `::127.0.0.1`; only 2000::/3 is
  // allocated.
  return address.match(GLOBAL_UNICAST, 3) && address.range() === 'unicast';
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && address.toString() !== AZURE_PLATFORM;
}

/**
 * The address at which each virtual machine of Azure reaches services of the platform. Its range is
 * an ordinary one.
 */
const AZURE_PLATFORM = '168.63.129.16';

/** The prefix of IPv4-only names on IPv6-only networks with DNS64. */
const NAT64_PREFIX = ipaddr.IPv6.parse('64:ff9b::');

const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::');
