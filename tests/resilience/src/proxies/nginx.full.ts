import { documentedBlock, replaced } from './documented-block.ts';
import { type ProxyCase, testProxy } from './proxy-cases.ts';

const site = documentedBlock('upstream halyard {');
const stripping = documentedBlock('$halyard_path {');

function nginx(name: string, path: string, edit: (text: string) => string): ProxyCase {
  return {
    name,
    path,
    program: 'nginx',
    args: (configuration) => ['-c', configuration],
    configure: (upstream, port, folder) => {
      const text = edit(replaced(site, '127.0.0.1:3141', upstream));
      return aroundSite(replaced(text, 'listen 80;', `listen 127.0.0.1:${port};`), folder);
    },
  };
}

/** As in Debian's `nginx.conf`, but in one process, with its files in a folder. */
function aroundSite(text: string, folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr;
events {}
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  gzip on;
  ${text}
}`;
}

const belowPath = (text: string): string => replaced(text, 'location / {', 'location /ai/ {');

testProxy(nginx('nginx', '', (text) => text));

testProxy({ ...nginx('nginx with a path', '/ai', belowPath), options: { prefix: '/ai' } });

testProxy(
  nginx('nginx that strips a path', '/ai', (text) => {
    const pass = 'proxy_pass http://halyard$halyard_path; proxy_set_header X-Forwarded-Prefix /ai;';
    return `${stripping}\n${replaced(belowPath(text), 'proxy_pass http://halyard;', pass)}`;
  }),
);
