import { createHash } from 'node:crypto';
import { isProduction } from '@halyard/contracts';
import type { Agent } from '@halyard/core';
import type { Registry } from '@halyard/core/server';
import type { Caller } from '../../../access/identity.ts';
import { requiresNothing } from '../../../access/policy.ts';
import { isReachable, isVisible } from '../../../access/targets.ts';
import type { PublicAddress } from '../../../runtime/services/public-address.ts';
import { version } from '../../../version.ts';
import type { Services } from '../../services.ts';
import { Html, html } from './html.ts';
import { agentCard, type CardContext, workflowCard } from './landing-cards.ts';
import { landingScript } from './landing-script.ts';
import { landingStyle } from './landing-style.ts';

/** Not part of the page's template, because the hashes cover every character between the tags. */
const styleElement = new Html(`<style>${landingStyle}</style>`);
const scriptElement = new Html(`<script type="module">${landingScript}</script>`);

/** Allows only the page's own style and script, and no requests. */
export const landingPagePolicy = [
  "default-src 'none'",
  `style-src ${toHash(landingStyle)}`,
  `script-src ${toHash(landingScript)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The guides of this version of Halyard. */
const guides = 'https://github.com/halyard-dev/halyard/tree/main/docs';

/** Packages of the workspace get their version when they are released. */
const isReleased = version !== '0.0.0';

interface LandingServices extends Pick<Services, 'links' | 'requirementOf' | 'targets'> {
  readonly registry: Pick<Registry, 'agents' | 'workflows'>;
  readonly site: CardContext['site'];
}

/**
 * A page for people: where to go from here, the agents and workflows, and a first request. It lists
 * only what `GET /agents` and `GET /workflows` would list for the same caller.
 */
export function landingPage(
  caller: Caller,
  services: LandingServices,
  { base, root, url: publicUrl }: PublicAddress,
): string {
  const { registry, site } = services;
  const links = services.links.map((link) => ({ ...link, url: link.url.startsWith('/') ? root + link.url : link.url }));
  const cards = { base, caller, links, site };
  const agents = mayList('/agents', caller, services)
    ? registry.agents.filter((agent) => isVisible(agent, caller))
    : undefined;
  const workflows = mayList('/workflows', caller, services)
    ? registry.workflows.filter((workflow) => isVisible(workflow, caller))
    : undefined;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>Halyard</title>
        <link
          rel="icon"
          href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cpath d='M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z' fill='%230e7490'/%3E%3C/svg%3E"
        />
        ${styleElement}
      </head>
      <body>
        <header>
          <svg viewBox="0 0 32 32" aria-hidden="true"><path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" /></svg>
          <div>
            <h1>Halyard</h1>
            <p>${isReleased ? `Agents and durable workflows · version ${version}` : 'Agents and durable workflows'}</p>
          </div>
        </header>
        <nav aria-label="Pages">
          ${links.map(({ description = '', title, url }) => html`<a class="page" href="${url}"><b>${title}</b><span>${description}</span></a>`)}
          ${site.console === 'served' ? html`<a class="page" data-key href="${base}/console"><b>Console</b><span>Runs, traces and work that waits for a person</span></a>` : ''}
          <p>
            ${site.hasExplorer ? html`<a data-key href="${base}/ui">API explorer</a> ` : ''}
            <a data-key href="${base}/doc">OpenAPI document</a>
            <a href="${guides}">Guides</a>
            <a href="${base}/readyz">Health</a>
          </p>
          ${site.console === 'not-installed' && caller.isOperator === true ? html`<p>For a console with runs, traces and approvals: <code>npm install @halyard/console</code></p>` : ''}
        </nav>
        <main>
          ${agents === undefined ? '' : section('Agents', agents, agentCard, cards)}
          ${workflows === undefined ? '' : section('Workflows', workflows, workflowCard, cards)}
          ${firstRequest(
            agents?.find((agent) => isReachable(agent, caller)),
            publicUrl,
            services,
          )}
        </main>
        ${scriptElement}
      </body>
    </html> `;
  return page.text;
}

function toHash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/**
 * Whether the caller of the page may read a list, although the page itself may be open to more
 * callers.
 */
function mayList(url: string, { isOperator = false, user }: Caller, { requirementOf }: LandingServices): boolean {
  const requirement = requirementOf('GET', url) ?? 'open';
  return isOperator || requiresNothing(requirement) || (user !== undefined && requirement !== 'console');
}

function section<Item>(
  title: 'Agents' | 'Workflows',
  items: readonly Item[],
  toCard: (item: Item, context: CardContext) => Html,
  context: CardContext,
): Html {
  const id = title.toLowerCase();
  return html`<section id="${id}">
    <h2>${title} <small>${items.length}</small></h2>
    ${
      items.length === 0
        ? html`<p class="none">
            None yet. Pass yours to <code>createServer({ ${id}: […] })</code>. Guide:
            <a href="${guides}/${id}.md">${title}</a>
          </p>`
        : html`<ul>
            ${items.map((item) => toCard(item, context))}
          </ul>`
    }
  </section>`;
}

/** A request that works when it is pasted, except for a token, which is the reader's. */
function firstRequest(agent: Agent | undefined, url: string, services: LandingServices): Html {
  if (agent === undefined) return html``;
  const credential = credentialFor(agent, services);
  const command = `curl -N ${url}/agents/${agent.id}/stream \\
  -H 'content-type: application/json' \\${credential === undefined ? '' : `\n  -H ${credential} \\`}
  -d '{"input":"Hello! What can you do?"}'`;
  return html`<section id="hello">
    <h2>Say hello</h2>
    <p>Stream the reply of ${agent.name}, event by event:</p>
    <pre><code>${command}</code></pre>
  </section>`;
}

/** The header with the credential that a run of the agent requires. */
function credentialFor({ id }: Agent, { requirementOf, targets }: LandingServices): string | undefined {
  const route = requirementOf('POST', '/agents/:id/stream');
  const requirement = route && targets.requirementOf('/agents/:id/stream', { id }, route);
  if (requirement === undefined || requiresNothing(requirement)) return undefined;
  if (!isProduction()) return `'x-service-dev: true'`;
  return requirement === 'console'
    ? '"x-console-access-key: $SERVICE_CONSOLE_ACCESS_KEY"'
    : '"authorization: Bearer $TOKEN"';
}
