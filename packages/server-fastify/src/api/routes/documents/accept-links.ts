import { ConfigurationError } from '@halyard/contracts';
import type { Registry } from '@halyard/core/server';
import type { PageLink } from './page-link.ts';

/**
 * @throws ConfigurationError for a URL that is neither a path nor http(s), and for an agent or a
 * workflow that is not registered.
 */
export function acceptLinks(
  links: readonly PageLink[],
  registry: Pick<Registry, 'agents' | 'workflows'>,
): readonly PageLink[] {
  for (const { agents = [], title, url, workflows = [] } of links) {
    if (!isPath(url) && !isWebUrl(url))
      throw new ConfigurationError(
        `The link "${title}" of the option \`links\` must be a path that starts with / or an http(s) URL, but is "${url}"`,
      );
    requireRegistered('agent', agents, registry.agents, title);
    requireRegistered('workflow', workflows, registry.workflows, title);
  }
  return links;
}

/**
 * Browsers read `\` as `/` and skip tabs and line breaks, so `/\other.example` is a URL of another
 * host.
 */
function isPath(url: string): boolean {
  const here = 'http://this-server.invalid';
  return url.startsWith('/') && URL.parse(url, here)?.origin === here;
}

function isWebUrl(url: string): boolean {
  return /^https?:\/\//.test(url) && URL.canParse(url);
}

function requireRegistered(
  noun: 'agent' | 'workflow',
  ids: readonly string[],
  registered: readonly { readonly id: string }[],
  title: string,
): void {
  const unknown = ids.find((id) => !registered.some((item) => item.id === id));
  if (unknown === undefined) return;
  throw new ConfigurationError(
    `The link "${title}" of the option \`links\` names the ${noun} "${unknown}", which is not registered: pass it to the option \`${noun}s\` too`,
  );
}
