import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DownloadFileOptions, downloadFile } from '../../../../../packages/core/src/model/files/file-download.ts';
import { isPublicAddress } from '../../../../../packages/core/src/model/files/public-address.ts';
import type { Attack } from '../harness/attack.ts';
import { send } from '../harness/http-client.ts';
import type { Target } from '../harness/target.ts';

/** Stands for a server on the internet: the attacked download may connect to it. */
const allowed = '127.0.0.2';
/**
 * Forms of this machine, of private networks and of the metadata services of clouds. Only ports of
 * this machine are listened on.
 */
const hosts = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0',
  '0.0.0.0',
  '%31%32%37.0.0.1',
  '127。0。0。1',
  '①②⑦.⓪.⓪.①',
  'localhost',
  'LOCALHOST.',
  '127.0.0.1.',
  '127.255.255.254',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '[::ffff:a9fe:a9fe]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
];
/** Whole URLs, with the port of the forbidden listener as PORT. */
const urls = [
  ...hosts.map((host) => `http://${host}:PORT/secret`),
  'https://127.0.0.1:PORT/',
  'http:127.0.0.1:PORT/',
  String.raw`http:\\127.0.0.1:PORT\ `,
  'ht\ntp://127.0.0.1:PORT/',
  'http://93.184.216.34@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT#@93.184.216.34/',
  'file:///etc/passwd',
  'ftp://127.0.0.1:PORT/',
  'gopher://127.0.0.1:PORT/_FLUSHALL',
  'blob:http://127.0.0.1:PORT/1',
  'unix:/var/run/docker.sock',
  'ws://127.0.0.1:PORT/',
];

/**
 * Lets agents and downloads fetch files of this machine, directly, by redirects and by names whose
 * address changes.
 */
export const ssrf: Attack = {
  name: 'ssrf',
  summary: 'file addresses of this machine and of private networks, redirects, names whose address changes',
  plants: { 'fetching-agent': /connections/, 'second-lookup': /connections/ },
  needsOwnTarget: 'it needs an agent that is given files, and counts connections that must not be opened',
  run: async ({ open, plant, size }) => {
    const forbidden = await Listener.open('127.0.0.1');
    const outside = await Listener.open(allowed, forbidden.port);
    try {
      const target = await open();
      const direct = await throughAgents(target, forbidden, size === 'planted' ? urls.slice(0, 8) : urls);
      const indirect = await throughDownloads(
        forbidden,
        outside,
        plant === 'second-lookup' ? fetchingAgain : downloadFile,
      );
      const findings = [...direct.findings, ...indirect.findings];
      if (forbidden.connections > 0)
        findings.push(`${forbidden.connections} connections reached the forbidden listener`);
      const count = direct.count + indirect.count;
      if (outside.connections === 0) findings.push('no download reached the allowed listener');
      return {
        count: `${count} addresses, ${outside.connections} redirects followed`,
        findings,
        measured: `${forbidden.connections} forbidden connections`,
        target: '0 forbidden connections',
      };
    } finally {
      forbidden.close();
      outside.close();
    }
  },
};

interface Attempts {
  readonly count: number;
  readonly findings: readonly string[];
}

/** The ways in which a request names a file. */
const messages: readonly ((url: string) => object)[] = [
  (url) => ({ role: 'user', parts: [{ type: 'file', url, mediaType: 'image/png' }] }),
  (url) => ({ role: 'user', content: [{ type: 'image', image: url }] }),
  (url) => ({ role: 'user', content: [{ type: 'file', data: url, mediaType: 'text/plain' }] }),
];

async function throughAgents(target: Target, forbidden: Listener, patterns: readonly string[]): Promise<Attempts> {
  const findings: string[] = [];
  let count = 0;
  for (const path of ['/agents/reader/text', '/agents/reader/chat']) {
    for (const [index, message] of messages.entries()) {
      for (const pattern of patterns) {
        const url = pattern.replace('PORT', String(forbidden.port));
        const body = JSON.stringify({ input: [message(url)] });
        const reply = await send(target, { method: 'POST', path, headers: target.headersOf('ada'), body });
        count += 1;
        // A chat has started its stream, which then ends with an error. What is no URL by its first
        // characters is content in base64.
        const isContent = url.includes('\n') && index > 0;
        const isRefused = isContent || reply.status === 400 || reply.body.includes('"type":"error"');
        if (!isRefused) findings.push(`${path}, message ${index}, ${url}: ${reply.status} ${reply.body.slice(0, 200)}`);
      }
    }
  }
  return { count, findings };
}

type Download = (url: string, options: DownloadFileOptions) => Promise<unknown>;

/**
 * Downloads with another resolver, in which `127.0.0.2` counts as public, so that there is a server
 * that redirects.
 */
async function throughDownloads(forbidden: Listener, outside: Listener, download: Download): Promise<Attempts> {
  const findings: string[] = [];
  let count = 0;
  const attempt = async (what: string, url: string, answers: readonly (readonly string[])[]): Promise<void> => {
    count += 1;
    let asked = 0;
    const lookup = async (name: string): Promise<{ address: string }[]> => {
      if (name !== 'files.example') return [{ address: '127.0.0.1' }];
      const addresses = answers[Math.min(asked, answers.length - 1)] ?? [];
      asked += 1;
      return addresses.map((address) => ({ address }));
    };
    const allowAddress = (ip: string): boolean => ip === allowed || isPublicAddress(ip);
    const outcome = await download(url, { lookup, allowAddress, timeoutMs: 3_000 }).then(
      () => 'downloaded',
      () => 'refused',
    );
    const to = new URL(url).searchParams.get('to');
    // Some locations are relative: they lead to the allowed server.
    const isRelative =
      what.startsWith('redirect') && to !== null && URL.parse(locationOf(to), url)?.host === new URL(url).host;
    const isExpected = isRelative || what === 'the allowed server' || what.startsWith('rebinding after the check');
    if ((outcome === 'downloaded') !== isExpected) findings.push(`${what}: ${url}: ${outcome}`);
  };

  const at = `http://files.example:${outside.port}`;
  await attempt('the allowed server', `${at}/file`, [[allowed]]);
  for (const pattern of urls) {
    const location = encodeURIComponent(pattern.replace('PORT', String(forbidden.port)));
    for (const status of [301, 302, 303, 307, 308])
      await attempt(`redirect ${status}`, `${at}/redirect?status=${status}&to=${location}`, [[allowed]]);
  }
  const inner = `http://files.example:${forbidden.port}/secret`;
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1', 'fe80::1%lo']) {
    await attempt(`a name for ${address}`, inner, [[address]]);
    await attempt(`a name for ${address} and another`, inner, [[allowed, address]]);
    await attempt(`a name for another and ${address}`, inner, [[address, allowed]]);
    const redirect = `${at}/redirect?status=302&to=${encodeURIComponent(inner)}`;
    await attempt(`rebinding to ${address} at the redirect`, redirect, [[allowed], [address]]);
    // The connection goes to the checked address, whatever the name stands for by then.
    await attempt(`rebinding after the check to ${address}`, `${at}/file`, [[allowed], [address]]);
  }
  return { count, findings };
}

/** The bug: the checked name is looked up again for the connection. */
async function fetchingAgain(url: string, { allowAddress, lookup }: DownloadFileOptions): Promise<unknown> {
  const { hostname, port } = new URL(url);
  const checked = (await lookup?.(hostname)) ?? [];
  if (!checked.every(({ address }) => allowAddress?.(address))) throw new Error('refused');
  const [used] = (await lookup?.(hostname)) ?? [];
  return fetch(`http://${used?.address}:${port}/file`, { signal: AbortSignal.timeout(2_000) });
}

/** A URL as the value of a header. */
function locationOf(url: string): string {
  return url.replaceAll(/[^!-~]/gu, (character) => encodeURIComponent(character));
}

/** Counts the connections to an address, and answers with files and redirects. */
class Listener {
  connections = 0;
  readonly port: number;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', () => (this.connections += 1));
  }

  static async open(host: string, port = 0): Promise<Listener> {
    const server = createServer((request, response) => {
      const query = new URLSearchParams(request.url?.split('?')[1]);
      const to = query.get('to');
      if (to === null) response.setHeader('content-type', 'text/plain').end('file');
      else response.writeHead(Number(query.get('status')), { location: locationOf(to) }).end();
    });
    server.listen(port, host);
    await once(server, 'listening');
    return new Listener(server);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
