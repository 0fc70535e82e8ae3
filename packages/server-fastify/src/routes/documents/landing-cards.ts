import type { Agent } from '@halyard/core';
import type { RegisteredTool, WorkflowDefinition } from '@halyard/core/server';
import type { PageLink } from '../../page-link.ts';
import type { Services } from '../../services/services.ts';
import { type Html, html } from './html.ts';

type CardServices = Pick<Services, 'links' | 'memories' | 'site'> & {
  /** The path of the API on its host. */
  readonly base: string;
};
type Step = WorkflowDefinition['steps'][number];

/** An agent: what it does, what it can use, and where to talk to it. */
export function agentCard(agent: Agent, { base, links, memories, site }: CardServices): Html {
  const { description, id, modelName, name, subAgents, tools } = agent;
  const remembers = memories.of(agent) !== undefined;
  return html`<li id="agent-${id}">
    <h3>${name} <code>${id}</code></h3>
    <p>${description === '' ? 'No description.' : description}</p>
    ${chips('Tools', tools, ({ name: tool }) => ({ href: `#tool-${tool}`, text: tool }))}
    ${chips('Delegates to', subAgents, (subAgent) => ({ href: `#agent-${subAgent.id}`, text: subAgent.name }))}
    <p class="facts">${modelName} · ${remembers ? 'remembers conversations' : 'no memory'}</p>
    ${actions(
      links.filter(({ agents = [] }) => agents.includes(id)).map((link) => ({ ...link, url: withAgent(link.url, id) })),
      { base, hasExplorer: site.hasExplorer },
      'Agents/streamText',
    )}
  </li>`;
}

/** A workflow: its steps, whether it waits for a person, and where to use it. */
export function workflowCard(workflow: WorkflowDefinition, { base, links, site }: CardServices): Html {
  const { id, name, purpose, resumeSchema, steps } = workflow;
  const waits = resumeSchema !== undefined || steps.some(canWait);
  return html`<li id="workflow-${id}">
    <h3>${name} <code>${id}</code></h3>
    <p>${purpose === '' ? 'No purpose stated.' : purpose}</p>
    <ol class="steps">
      ${steps.map(stepItem)}
    </ol>
    ${waits ? html`<p class="facts">Can wait for a person</p>` : ''}
    ${actions(
      links.filter(({ workflows = [] }) => workflows.includes(id)),
      { base, hasExplorer: site.hasExplorer },
      'Workflows/streamWorkflow',
    )}
  </li>`;
}

/** A tool, and the agents that use it. */
export function toolItem({ agents, tool }: RegisteredTool): Html {
  const { approval, clientSide, description, name } = tool;
  return html`<li id="tool-${name}">
    <code>${name}</code>
    <span>${description}</span>
    ${approval === false ? '' : html`<em>asks for approval</em>`} ${clientSide ? html`<em>runs in the client</em>` : ''}
    <small>${agents.map((agent) => agent.name).join(', ')}</small>
  </li>`;
}

function chips<Item>(
  label: string,
  items: readonly Item[],
  describe: (item: Item) => { readonly href: string; readonly text: string },
): Html {
  if (items.length === 0) return html``;
  return html`<p class="chips">
    <span>${label}</span>
    ${items.map((item) => {
      const { href, text } = describe(item);
      return html`<a href="${href}">${text}</a> `;
    })}
  </p>`;
}

function stepItem(step: Step): Html {
  const { id, name, purpose, steps, type, workflow } = step;
  const inner = [...steps, ...(workflow?.steps ?? [])];
  return html`<li title="${purpose}">
    ${name === id ? html`<b>${id}</b>` : html`<b>${name}</b>`} <code>${type}</code>
    ${
      inner.length === 0
        ? ''
        : html`<ol>
            ${inner.map(stepItem)}
          </ol>`
    }
  </li>`;
}

function canWait({ resumeSchema, steps, workflow }: Step): boolean {
  return resumeSchema !== undefined || workflow?.resumeSchema !== undefined || steps.some(canWait);
}

/** Links to the pages of the app, or else to the operation in the API explorer. */
function actions(
  pages: readonly PageLink[],
  { base, hasExplorer }: { readonly base: string; readonly hasExplorer: boolean },
  operation: string,
): Html {
  if (pages.length === 0 && !hasExplorer) return html``;
  return html`<p class="actions">
    ${pages.map(({ title, url }) => html`<a class="open" href="${url}">${title}</a> `)}
    ${hasExplorer ? html`<a data-console href="${base}/ui#/${operation}">Try the API</a>` : ''}
  </p>`;
}

function withAgent(url: string, id: string): string {
  const [place = '', ...fragment] = url.split('#');
  const query = `${place.includes('?') ? '&' : '?'}agent=${encodeURIComponent(id)}`;
  return [place + query, ...fragment].join('#');
}
