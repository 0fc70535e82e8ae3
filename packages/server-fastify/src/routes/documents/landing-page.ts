import { createHash } from 'node:crypto';
import type { Agent, Registry, WorkflowDefinition } from '@halyard/core';
import type { Site } from '../../services/services.ts';
import { version } from '../../version.ts';
import { Html, html } from './html.ts';
import { landingStyle } from './landing-style.ts';

/** Not part of the page's template, because the hash covers every character between the tags. */
const styleElement = new Html(`<style>${landingStyle}</style>`);
const styleHash = createHash('sha256').update(landingStyle).digest('base64');

/** Allows nothing but the page's own style. */
export const landingPagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** A page that lists what this server serves, with a first request to try. It has no scripts and loads nothing. */
export function landingPage({ agents, tools, workflows }: Registry, { hasExplorer, origin, prefix }: Site): string {
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
            <p>Under way · version ${version}</p>
          </div>
        </header>
        <nav>
          ${hasExplorer ? html`<a class="first" href="${prefix}/ui">Explore the API</a>` : ''}
          <a href="${prefix}/doc">OpenAPI document</a>
          <a href="${prefix}/readyz">Health</a>
        </nav>
        <main>
          <section>
            <h2>Agents <small>${agents.length}</small></h2>
            ${
              agents.length === 0
                ? noAgents
                : html`<ul>
                    ${agents.map((agent) => card(agent, prefix))}
                  </ul>`
            }
          </section>
          <section>
            <h2>Workflows <small>${workflows.length}</small></h2>
            ${
              workflows.length === 0
                ? noWorkflows
                : html`<ul>
                    ${workflows.map((workflow) => workflowCard(workflow, prefix))}
                  </ul>`
            }
          </section>
          ${
            tools.length === 0
              ? ''
              : html`<section>
                  <h2>Tools <small>${tools.length}</small></h2>
                  <p class="tools">${tools.map(({ tool }) => html`<code>${tool.name}</code> `)}</p>
                </section>`
          }
          ${firstRequest(agents[0], `${origin()}${prefix}`)}
        </main>
      </body>
    </html> `;
  return page.text;
}

const noAgents = html`<p class="none">
  None yet. Agents that you pass to <code>createServer({ agents: [myAgent] })</code> appear here.
</p>`;

const noWorkflows = html`<p class="none">
  None yet. Workflows that you pass to <code>createServer({ workflows: [myWorkflow] })</code> appear here.
</p>`;

function workflowCard({ id, name, purpose, steps }: WorkflowDefinition, prefix: string): Html {
  return html`<li>
    <h3><a href="${prefix}/workflows/${encodeURIComponent(id)}">${name}</a> <code>${id}</code></h3>
    <p>${purpose === '' ? 'No purpose stated.' : purpose}</p>
    <p class="facts">${count(steps.length, 'step')}</p>
  </li>`;
}

function card({ description, id, modelName, name, subAgents, tools }: Agent, prefix: string): Html {
  const has = [count(tools.length, 'tool'), count(subAgents.length, 'sub-agent')].filter((text) => text !== '');
  return html`<li>
    <h3><a href="${prefix}/agents/${encodeURIComponent(id)}">${name}</a> <code>${id}</code></h3>
    <p>${description === '' ? 'No description.' : description}</p>
    <p class="facts">${[modelName, ...has].join(' · ')}</p>
  </li>`;
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function firstRequest(agent: Agent | undefined, base: string): Html {
  if (agent === undefined) return html``;
  const command = `curl -N ${base}/agents/${agent.id}/stream \\
  -H 'content-type: application/json' \\
  -d '{"input":"Hello! What can you do?"}'`;
  return html`<section>
    <h2>Say hello</h2>
    <p>Stream the answer of ${agent.name}, event by event:</p>
    <pre><code>${command}</code></pre>
  </section>`;
}
