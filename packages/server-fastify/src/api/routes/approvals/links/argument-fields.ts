import { type Html, html } from '../../documents/html.ts';
import type { Approval } from '../schemas.ts';
import { visibleText } from './visible-text.ts';

/** A form has so many fields, and texts of so many characters, at most. */
const maxFields = 20;
const maxCharacters = 2_000;
const prefix = 'argument.';

type Scalar = string | number | boolean;
/** The fields of a form that was sent. */
type Sent = Readonly<Record<string, unknown>>;

/** Shows the arguments that a person may change before approving, as they are or as they were sent. */
export function argumentFields(approval: Approval, sent: Sent): Html | '' {
  const fields = fieldsOf(approval);
  if (fields.length === 0) return '';
  const isChanged = fields.some(([name]) => sent[prefix + name] !== undefined);
  return html`<details ${isChanged ? 'open' : ''}>
    <summary>Change the arguments</summary>
    ${fields.map(([name, value], index) => field(name, value, { id: `argument-${index}`, sent })) as readonly Html[]}
  </details>`;
}

function field(name: string, value: Scalar, { id, sent }: { readonly id: string; readonly sent: Sent }): Html {
  const given = sent[prefix + name];
  const text = typeof given === 'string' ? given : String(value);
  return html`<label for="${id}" dir="auto">${visibleText(name)}</label> ${control(name, value, { id, text })}`;
}

function control(name: string, value: Scalar, { id, text }: { readonly id: string; readonly text: string }): Html {
  if (typeof value === 'boolean')
    return html`<select id="${id}" name="${prefix + name}">
      ${
        ['true', 'false'].map(
          (each) => html`<option ${each === text ? 'selected' : ''}>${each}</option>`,
        ) as readonly Html[]
      }
    </select>`;
  if (typeof value === 'number')
    return html`<input id="${id}" name="${prefix + name}" value="${text}" inputmode="decimal" autocomplete="off" />`;
  // Browsers drop the line break before the text, and only this one.
  return html`<textarea id="${id}" name="${prefix + name}" rows="1" maxlength="${maxCharacters}" dir="auto">
${text}</textarea>`;
}

/**
 * The arguments as they were sent, if they are not those of the request.
 *
 * @returns `problem`: why they cannot be read.
 */
export function readArguments(approval: Approval, sent: Sent): { readonly input?: unknown; readonly problem?: string } {
  const changed: [string, Scalar][] = [];
  for (const [name, value] of fieldsOf(approval)) {
    const given = sent[prefix + name];
    if (typeof given !== 'string') continue;
    const read = toScalar(given, value);
    if (read === undefined) return { problem: `Please write a number as "${name}".` };
    if (read !== value) changed.push([name, read]);
  }
  if (changed.length === 0) return {};
  const input = new Map<string, unknown>([...Object.entries(approval.input as object), ...changed]);
  return { input: Object.fromEntries(input) };
}

function toScalar(given: string, value: Scalar): Scalar | undefined {
  if (typeof value === 'string') return given.replaceAll('\r\n', '\n');
  if (typeof value === 'boolean') return given === 'true';
  const text = given.trim();
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

/** Several people must approve the same arguments. */
function fieldsOf({ input, kind, quorum }: Approval): readonly (readonly [name: string, value: Scalar])[] {
  if (kind !== 'tool' || quorum > 1 || typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  return Object.entries(input).filter(isEditable).slice(0, maxFields);
}

function isEditable(entry: [string, unknown]): entry is [string, Scalar] {
  const [, value] = entry;
  if (typeof value === 'number' || typeof value === 'boolean') return true;
  // A form cannot return other characters as they were.
  return typeof value === 'string' && value.length <= maxCharacters && visibleText(value) === value;
}
