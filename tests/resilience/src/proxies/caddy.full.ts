import { documentedBlock, replaced } from './documented-block.ts';
import { type ProxyCase, testProxy } from './proxy-cases.ts';

const site = documentedBlock('api.example.org {');
const compression = documentedBlock('encode @whole');

function caddy(name: string, path: string, edit: (text: string) => string): ProxyCase {
  return {
    name,
    path,
    program: 'caddy',
    args: (configuration) => ['run', '--config', configuration, '--adapter', 'caddyfile'],
    configure: (upstream, port) => {
      const text = edit(replaced(site, '127.0.0.1:3141', upstream));
      return `{\n\tadmin off\n}\n${replaced(text, 'api.example.org', `http://127.0.0.1:${port}`)}`;
    },
  };
}

testProxy(caddy('Caddy', '', (text) => text));

testProxy(
  caddy('Caddy that compresses', '', (text) => replaced(text, 'reverse_proxy', `${compression}\nreverse_proxy`)),
);

testProxy(
  caddy('Caddy that strips a path', '/ai', (text) => {
    const inner = replaced(text, 'transport http {', 'header_up X-Forwarded-Prefix /ai\ntransport http {');
    return `${replaced(inner, 'reverse_proxy', 'handle_path /ai/* {\nreverse_proxy')}\n}`;
  }),
);
