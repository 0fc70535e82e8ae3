import type { Attack } from '../harness/attack.ts';
import { exchange } from '../harness/raw-http.ts';
import { envelopeFault } from '../harness/reply-faults.ts';

/** Ways to write `..`, `/` and the end of a path. */
const dots = [
  '..',
  '%2e%2e',
  '.%2e',
  '%2e.',
  '%252e%252e',
  '..;',
  '..%00',
  '%c0%ae%c0%ae',
  '%u002e%u002e',
  '．．',
  '…',
];
const slashes = ['/', '%2f', '%5c', '\\', '%252f', '//', '/./', '%c0%af', '／', '%ef%bc%8f'];
const roots = ['', 'ui', 'ui/static', 'doc', 'agents', 'agents/plain', 'workflows/executions', 'api/memory', 'mcp/own'];
const files = ['etc/passwd', 'package.json', '.env', 'proc/self/environ', 'healthz', 'doc'];
const ends = ['', '%00', '%00.html', '?', '#', '/', '%0d%0aset-cookie:a=b', ';a=b', '.json', '%', '%zz', '%e0%80'];

/** Contents of files, of the environment, and headers of the attacker. */
const stolen = /root:x:0:0|"private"\s*:\s*true|NODE_ENV=|HALYARD_SECRET|\nset-cookie:/i;

/** Every encoding of traversals out of every folder, and malformed request lines. */
export const paths: Attack = {
  name: 'paths',
  summary: 'encoded traversals, control characters and malformed request lines',
  plants: { 'served-files': /reveals a file/ },
  run: async ({ bySize, open, random }) => {
    const target = await open();
    const wanted = bySize({ planted: 200, short: 4_000, long: 100_000 });
    const headers = target.headersOf('ada', true);
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const findings: string[] = [];
    for (let count = 0; count < wanted; count += 1) {
      const steps = random.between(1, 4);
      const dot = random.pick(dots);
      const slash = random.pick(slashes);
      const climb = Array.from({ length: steps }, () => `${dot}${slash}`).join('');
      const path = `/${random.pick(roots)}${random.pick(slashes)}${climb}${random.pick(files)}${random.pick(ends)}`;
      const answer = await exchange(
        target,
        `${random.pick(['GET', 'GET', 'HEAD', 'POST', 'OPTIONS'])} ${path} HTTP/1.1\r\nhost: a\r\n${head.join('')}connection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      const fault = stolen.test(answer.text) ? 'reveals a file or splits the reply' : envelopeFault(answer);
      if (fault !== undefined) findings.push(`${path}: ${fault}`);
    }
    return { count: `${wanted} requests`, findings };
  },
};
