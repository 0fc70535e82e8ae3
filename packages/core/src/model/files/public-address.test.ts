import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

describe('isPublicAddress', () => {
  it.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.15.255.255',
    '172.32.0.1',
    '100.63.255.255',
    '100.128.0.1',
    '169.253.0.1',
    '223.255.255.254',
  ])('accepts the IPv4 address %s as public', (ip) => {
    expect(isPublicAddress(ip)).toBe(true);
  });

  it.each(['2606:4700:4700::1111', '2A00:1450:4001:81B::200E', '2400:cb00:0:0:0:0:0:1'])(
    'takes the IPv6 address %s for public',
    (ip) => {
      expect(isPublicAddress(ip)).toBe(true);
    },
  );

  it.each(['::ffff:1.1.1.1', '::ffff:101:101', '64:ff9b::1.1.1.1', '64:ff9b::101:101'])(
    'takes %s for public, as the IPv4 address inside it is',
    (ip) => {
      expect(isPublicAddress(ip)).toBe(true);
    },
  );

  it.each([
    ['this network', ['0.0.0.0', '0.1.2.3']],
    ['loopback', ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1']],
    ['private networks', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1']],
    ['carriers', ['100.64.0.1', '100.127.255.255']],
    [
      'link-local networks and metadata services',
      ['169.254.0.1', '169.254.169.254', '168.63.129.16', 'fe80::1', 'febf::1', 'fd00:ec2::254'],
    ],
    [
      'IETF protocols and anycast relays',
      ['192.0.0.1', '192.0.0.170', '192.88.99.1', '192.52.193.1', '192.175.48.1', '192.31.196.1'],
    ],
    ['documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    ['benchmarks', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
    ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1']],
    ['no network yet, and broadcast', ['240.0.0.1', '255.255.255.255', '4000::1', '5f00::1', 'e000::1']],
    ['unique local and site local networks', ['fc00::1', 'fdff::1', 'fec0::1']],
    ['nothing', ['::', '100::1']],
    ['6to4 and Teredo', ['2002:7f00:1::', '2002:101:101::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2']],
    ['overlays', ['2001:10::1', '2001:20::1', '2001:30::1']],
    ['local translation', ['64:ff9b:1::1', '64:ff9b:1::7f00:1', '::ffff:0:1.1.1.1']],
    [
      'inner IPv4 addresses that are not public',
      [
        '::ffff:127.0.0.1',
        '::ffff:7f00:1',
        '::ffff:a9fe:a9fe',
        '64:ff9b::127.0.0.1',
        '64:ff9b::7f00:1',
        '64:ff9b::a00:1',
        '::ffff:168.63.129.16',
        '64:ff9b::168.63.129.16',
      ],
    ],
    ['IPv4-compatible addresses, long withdrawn', ['::127.0.0.1', '::7f00:1', '::1.1.1.1', '0::1.1.1.1', '::101:101']],
  ])('refuses addresses of %s', (_range, ips) => {
    expect(ips.filter((ip) => isPublicAddress(ip))).toEqual([]);
  });

  it.each([
    '',
    'localhost',
    'example.com',
    '1',
    '2130706433',
    '0x7f000001',
    '127.1',
    '010.8.8.8',
    '0x8.8.8.8',
    '8.8.8',
    '8.8.8.8/32',
    ' 8.8.8.8',
    '8.8.8.8:80',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    'fe80::1%1',
    '2606:4700:::1',
  ])('refuses %j, which is not the plain spelling of an address', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});
