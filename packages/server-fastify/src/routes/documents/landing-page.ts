import { createHash } from 'node:crypto';
import type { Agent } from '@halyard/core';
import type { Caller } from '../../access/identity.ts';
import { isVisible } from '../../access/targets.ts';
import { landingScript } from '../../landing-script.ts';
import type { PublicAddress } from '../../services/public-address.ts';
import type { Services } from '../../services/services.ts';
import { version } from '../../version.ts';
import { Html, html } from './html.ts';
import { activity } from './landing-activity.ts';
import { agentCard, toolItem, workflowCard } from './landing-cards.ts';
import { landingStyle } from './landing-style.ts';

/** Not part of the page's template, because the hashes cover every character between the tags. */
const styleElement = new Html(`<style>${landingStyle}</style>`);
const scriptElement = new Html(`<script type="module">${landingScript}</script>`);

/** Allows nothing but the page's own style, its own script, and the requests of that script to this server. */
export const landingPagePolicy = [
  "default-src 'none'",
  `style-src ${hashOf(landingStyle)}`,
  `script-src ${hashOf(landingScript)}`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The guides of this version of Halyard. */
const guides = 'https://github.com/halyard-dev/halyard/tree/main/docs';

/** Packages of the workspace get their version when they are released. */
const isReleased = version !== '0.0.0';

/**
 * A page for people: the pages of the app, waiting work, recent runs, agents, workflows and tools. It works without JavaScript, except
 * for waiting work and recent runs: its script reads them from the API, with the credentials of the person who looks at the page.
 */
export function landingPage(
  caller: Caller,
  services: Pick<Services, 'links' | 'memories' | 'registry' | 'site'>,
  { base, root, url: publicUrl }: PublicAddress,
): string {
  const { registry, site } = services;
  const links = services.links.map((link) => ({ ...link, url: link.url.startsWith('/') ? root + link.url : link.url }));
  const cards = { ...services, base, links };
  const agents = registry.agents.filter((agent) => isVisible(agent, caller));
  const tools = registry.tools.filter(({ tool }) => isVisible(tool, caller));
  const workflows = registry.workflows.filter((workflow) => isVisible(workflow, caller));
  const { hasConsole, hasExplorer } = site;
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
      <body data-prefix="${base}">
        <header>
          <svg viewBox="0 0 32 32" aria-hidden="true"><path d="M15 3v20H5zM17 8l9 15h-9zM3 25h26l-4 4H7z" /></svg>
          <div>
            <h1>Halyard</h1>
            <p>${isReleased ? `Agents and durable workflows · version ${version}` : 'Agents and durable workflows'}</p>
          </div>
        </header>
        <nav aria-label="Pages">
          ${links.map(({ description = '', title, url }) => html`<a class="page" href="${url}"><b>${title}</b><span>${description}</span></a>`)}
          ${hasConsole ? html`<a class="page" data-console href="${base}/console"><b>Console</b><span>See what your agents and workflows do, try them, answer what waits</span></a>` : ''}
          <p>
            ${hasExplorer ? html`<a data-console href="${base}/ui">API explorer</a> ` : ''}
            <a data-console href="${base}/doc">OpenAPI document</a>
            <a href="#runs">Traces</a>
            <a href="${guides}">Guides</a>
            <a href="${base}/readyz">Health</a>
          </p>
        </nav>
        <main>
          ${activity(base)}
          <section id="agents">
            <h2>Agents <small>${agents.length}</small></h2>
            ${
              agents.length === 0
                ? noAgents
                : html`<ul class="cards">
                    ${agents.map((agent) => agentCard(agent, cards))}
                  </ul>`
            }
          </section>
          <section id="workflows">
            <h2>Workflows <small>${workflows.length}</small></h2>
            ${
              workflows.length === 0
                ? noWorkflows
                : html`<ul class="cards">
                    ${workflows.map((workflow) => workflowCard(workflow, cards))}
                  </ul>`
            }
          </section>
          ${
            tools.length === 0
              ? ''
              : html`<section id="tools">
                  <h2>Tools <small>${tools.length}</small></h2>
                  <ul class="rows">
                    ${tools.map(toolItem)}
                  </ul>
                </section>`
          }
          ${firstRequest(
            agents.find(({ access }) => access !== 'server'),
            publicUrl,
          )}
        </main>
        ${scriptElement}
      </body>
    </html> `;
  return page.text;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

const noAgents = html`<p class="none">
  None yet. Agents that you pass to <code>createServer({ agents: [myAgent] })</code> appear here.
</p>`;

const noWorkflows = html`<p class="none">
    None yet. A workflow is a chain of steps that survives restarts and can wait for a person. Pass yours to
    <code>createServer({ workflows: [refund] })</code>:
  </p>
  <pre><code>const refund = createWorkflow({ id: 'refund', input: Type.Object({ euros: Type.Number() }) })
  .andThen({
    id: 'approve',
    resumeSchema: Type.Object({ by: Type.String() }),
    execute: ({ data, resumeData, suspend }) =&gt;
      resumeData === undefined ? suspend('needs approval', data) : { ...data, by: resumeData.by },
  });</code></pre>`;

function firstRequest(agent: Agent | undefined, url: string): Html {
  if (agent === undefined) return html``;
  const command = `curl -N ${url}/agents/${agent.id}/stream \\
  -H 'content-type: application/json' \\
  -d '{"input":"Hello! What can you do?"}'`;
  return html`<section id="hello">
    <h2>Say hello</h2>
    <p>Stream the answer of ${agent.name}, event by event:</p>
    <pre><code>${command}</code></pre>
  </section>`;
}
