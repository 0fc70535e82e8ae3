import type { JSONValue } from '../../model/providers/model-port.ts';
import type { TextPass } from './bound-processor.ts';
import { passText } from './text-channel.ts';

/**
 * Passes a JSON value through processors: its names and values as lines of one text. If they change
 * that text, they receive each name and value by itself, and the value keeps its form. A change
 * that concerns several values at once, such as a name with its value, replaces the whole value
 * with the text.
 */
export async function processValue(passes: readonly TextPass[], value: JSONValue): Promise<JSONValue> {
  if (passes.length === 0) return value;
  if (typeof value === 'string') return isBinary(value) ? value : passText(passes, value);
  if (await isAllowed(passes, value)) return value;
  const changed = await processLeaves(passes, value);
  return (await isAllowed(passes, changed)) ? changed : passText(passes, readable(changed));
}

async function isAllowed(passes: readonly TextPass[], value: JSONValue): Promise<boolean> {
  const text = readable(value);
  return (await passText(passes, text)) === text;
}

/** A line for each value, after the name of its field. */
function readable(value: JSONValue): string {
  const lines: string[] = [];
  const add = (item: JSONValue | undefined, name: string): void => {
    if (isList(item)) for (const entry of item) add(entry, name);
    else if (typeof item === 'object' && item !== null)
      for (const [key, entry] of Object.entries(item)) add(entry, key);
    else if (item !== undefined && !isBinary(item)) lines.push(name === '' ? String(item) : `${name}: ${String(item)}`);
  };
  add(value, '');
  return lines.join('\n');
}

async function processLeaves(passes: readonly TextPass[], value: JSONValue): Promise<JSONValue> {
  if (isList(value)) {
    const items: JSONValue[] = [];
    for (const item of value) items.push(await processLeaves(passes, item));
    return items;
  }
  if (typeof value === 'object' && value !== null) {
    const entries: [string, JSONValue][] = [];
    for (const [name, item] of Object.entries(value))
      if (item !== undefined) entries.push([await passText(passes, name), await processLeaves(passes, item)]);
    return Object.fromEntries(entries);
  }
  if (isBinary(value)) return value;
  const text = String(value);
  const passed = await passText(passes, text);
  return passed === text ? value : passed;
}

function isList(value: JSONValue | undefined): value is JSONValue[] {
  return Array.isArray(value);
}

/** Files in JSON are data URLs or base64. */
function isBinary(value: JSONValue): boolean {
  return (
    typeof value === 'string' && (/^data:[^,]*;base64,/i.test(value) || /^[A-Za-z\d+/_-]{256,}={0,2}$/.test(value))
  );
}
