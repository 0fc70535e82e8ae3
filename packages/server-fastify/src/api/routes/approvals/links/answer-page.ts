import type { ApprovalDecision } from '@halyard/contracts';
import { noticePage } from '../../../../http/pages/notice-page.ts';
import { type Html, html } from '../../documents/html.ts';
import type { Approval } from '../schemas.ts';
import { argumentFields } from './argument-fields.ts';
import { visibleText } from './visible-text.ts';

/**
 * How many characters of arguments a page shows. Nobody can approve more than that: they would
 * approve something that they have not seen.
 */
const shownCharacters = 50_000;
export const reasonCharacters = 2_000;

interface AnswerForm {
  /** Where the form is sent. */
  readonly action: string;
  readonly token: string;
  readonly form: string;
  /** The id of the recipient. */
  readonly recipient: string;
  /** The fields of the form as they were sent before. */
  readonly sent?: Readonly<Record<string, unknown>> | undefined;
  /** Why an answer was not accepted. */
  readonly problem?: string | undefined;
}

/** Whether a page shows all of what somebody approves. */
export function isShownWhole(approval: Approval): boolean {
  return toJson(approval).length <= shownCharacters;
}

/** Shows a request, and asks for the answer. */
export function requestPage(
  approval: Approval,
  { action, form, problem, recipient, sent = {}, token }: AnswerForm,
): string {
  const approve = isShownWhole(approval)
    ? html`<button name="decision" value="approve">Approve</button>`
    : html`<p class="wrong" role="alert">
        This is too long to be shown here. Approve it in the app or in the console.
      </p>`;
  return noticePage(
    'Your approval is needed',
    html`
      ${problem === undefined ? '' : html`<p class="wrong" role="alert">${problem}</p>`}
      <p class="ask" dir="auto">${visibleText(approval.reason)}</p>
      <dl>${facts(approval, recipient)}</dl>
      ${details(approval)} ${conversation(approval)}
      <form class="answer" method="post" action="${action}">
        <input type="hidden" name="token" value="${token}" />
        <input type="hidden" name="form" value="${form}" />
        ${isShownWhole(approval) ? argumentFields(approval, sent) : ''}
        <label for="reason">Reason <small>(optional)</small></label>
        <textarea id="reason" name="reason" rows="3" maxlength="${reasonCharacters}" dir="auto"></textarea>
        <div>${approve} <button class="decline" name="decision" value="decline">Decline</button></div>
      </form>
    `,
  );
}

/** Says how a request was settled. */
export function settledPage(
  { approved, decidedAt, expired, reason, userId }: ApprovalDecision,
  recipient: string,
  { isLate = false } = {},
): string {
  const who = userId === null ? 'An operator' : userId === recipient ? 'You' : visibleText(userId);
  const verb = approved ? 'approved' : 'declined';
  const settled =
    expired === true
      ? html`Nobody responded in time: the request was ${verb}`
      : html`<bdi>${who}</bdi> ${verb} this request`;
  return noticePage(
    approved ? 'Approved' : 'Declined',
    html`
      ${isLate ? html`<p class="wrong" role="alert">Your answer came too late, and does not count.</p>` : ''}
      <p>${settled} on ${time(decidedAt)}.</p>
      ${expired === true || reason === undefined ? '' : html`<blockquote dir="auto">${visibleText(reason)}</blockquote>`}
      <p>You can close this page.</p>
    `,
  );
}

/** Says that more people must approve. */
export function countedPage(decided: number, quorum: number): string {
  return noticePage(
    'Your approval is recorded',
    html`<p>${decided} of ${quorum} people have approved. The request waits for the others.</p>
      <p>You can close this page.</p>`,
  );
}

/** The same for all links that lead nowhere, so that it tells nothing about them. */
export function unknownPage(): string {
  return noticePage(
    'This link is not valid',
    html`<p>It has expired, it is incomplete, or the request does not wait for an answer any more.</p>
      <p>If you still expect to answer, copy the whole link, or ask the sender for another one.</p>`,
  );
}

export function failedPage(): string {
  return noticePage(
    'Something went wrong',
    html`<p class="wrong" role="alert">Your answer may not have been recorded.</p>
      <p>Open the link again in a few minutes: it shows whether the request still waits.</p>`,
  );
}

function facts(approval: Approval, recipient: string): readonly Html[] {
  const { agentId, expiresAt, toolName, userId, workflowId } = approval;
  const rows: readonly (readonly [name: string, value: string | Html | null])[] = [
    ['Tool', toolName],
    ['Agent', agentId],
    ['Workflow', workflowId],
    ['For', userId],
    ['Open until', expiresAt === null ? null : time(Date.parse(expiresAt))],
    ['You answer as', recipient],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [row(name, value)]));
}

function row(name: string, value: string | Html): Html {
  const shown = typeof value === 'string' ? visibleText(value) : value;
  return html`<div>
    <dt dir="auto">${visibleText(name)}</dt>
    <dd dir="auto">${shown}</dd>
  </div>`;
}

/** The arguments of a call or the data of a step, written by a model or by a user. */
function details(approval: Approval): Html | '' {
  const value = shownValue(approval);
  if (value === undefined || value === null) return '';
  const isWhole = isShownWhole(approval);
  const fields = isWhole && isRecord(value) ? Object.entries(value) : [];
  const content =
    fields.length > 0
      ? html`<dl>${fields.map(([name, field]) => row(name, isObject(field) ? jsonText(field) : String(field)))}</dl>`
      : jsonText(isWhole ? value : `${toJson(approval).slice(0, shownCharacters)} …`);
  return html`<section class="details" aria-labelledby="details" tabindex="0">
    <h3 id="details">${approval.kind === 'tool' ? 'Arguments' : 'Details'}</h3>
    ${content}
  </section>`;
}

function shownValue({ data, input, kind }: Approval): unknown {
  return kind === 'tool' ? input : data;
}

function toJson(approval: Approval): string {
  return JSON.stringify(shownValue(approval), undefined, 2) ?? '';
}

function jsonText(value: unknown): Html {
  const json = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  return html`<code class="json" dir="ltr">${visibleText(json)}</code>`;
}

function conversation({ conversation: texts = [] }: Approval): Html | '' {
  if (texts.length === 0) return '';
  return html`<details>
    <summary>The conversation that led to it</summary>
    <p>Its user can change these texts.</p>
    <dl>${texts.map(({ role, text }) => row(role === 'user' ? 'User' : 'Assistant', text))}</dl>
  </details>`;
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

function time(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${format.format(at)} UTC</time>`;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}
