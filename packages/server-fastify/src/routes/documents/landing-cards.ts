import type { Agent } from '@halyard/core';
import type { WorkflowDefinition } from '@halyard/core/server';
import type { Caller } from '../../access/identity.ts';
import { isReachable } from '../../access/targets.ts';
import type { PageLink } from '../../page-link.ts';
import type { Site } from '../../services/services.ts';
import { type Html, html } from './html.ts';

export interface CardContext {
  readonly caller: Caller;
  /** The path of the API on its host. */
  readonly base: string;
  readonly links: readonly PageLink[];
  readonly site: Pick<Site, 'console' | 'hasExplorer'>;
}

/** An agent, and where to talk to it. */
export function agentCard(agent: Agent, context: CardContext): Html {
  const { description, id } = agent;
  const pages = context.links
    .filter(({ agents = [] }) => agents.includes(id))
    .map((link) => ({ ...link, url: withAgent(link.url, id) }));
  return card(agent, description === '' ? 'No description.' : description, context, {
    pages,
    console: { title: 'Chat in the console', path: `/playground?agentId=${encodeURIComponent(id)}` },
    operation: 'Agents/streamText',
  });
}

/** A workflow, and where to start it. */
export function workflowCard(workflow: WorkflowDefinition, context: CardContext): Html {
  const { id, purpose } = workflow;
  return card(workflow, purpose === '' ? 'No purpose stated.' : purpose, context, {
    pages: context.links.filter(({ workflows = [] }) => workflows.includes(id)),
    console: { title: 'Start in the console', path: `/workflows/${encodeURIComponent(id)}?tab=start` },
    operation: 'Workflows/streamWorkflow',
  });
}

interface CardLinks {
  /** Pages of the app. */
  readonly pages: readonly PageLink[];
  /** A page of the console. */
  readonly console: { readonly title: string; readonly path: string };
  /** An operation in the API explorer, which stands in for the console. */
  readonly operation: string;
}

function card(
  target: Agent | WorkflowDefinition,
  about: string,
  { base, caller, site }: CardContext,
  { console, operation, pages }: CardLinks,
): Html {
  const own = pages.map(({ title, url }) => html`<a href="${url}">${title}</a> `);
  return html`<li>
    <h3>${target.name} <code>${target.id}</code></h3>
    <p>${about}</p>
    ${isReachable(target, caller) ? html`<p class="actions">${own}${tryLink()}</p>` : ''}
  </li>`;

  function tryLink(): Html {
    if (site.console === 'served') return html`<a data-key href="${base}/console${console.path}">${console.title}</a>`;
    return site.hasExplorer ? html`<a data-key href="${base}/ui#/${operation}">Try the API</a>` : html``;
  }
}

function withAgent(url: string, id: string): string {
  const [place = '', ...fragment] = url.split('#');
  const query = `${place.includes('?') ? '&' : '?'}agent=${encodeURIComponent(id)}`;
  return [place + query, ...fragment].join('#');
}
