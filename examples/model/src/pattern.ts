import { parsePattern, UnsupportedPattern } from './parse-pattern.ts';
import type { CodePointRange, PatternNode } from './parse-pattern.ts';

/**
 * Regular expressions of schemas, which may come from a client. They are matched in linear time (by following all paths at
 * once), without backtracking. Patterns with unsupported syntax are only matched by the engine against short texts.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const program = compile(pattern);
  if (program !== undefined) return run(program, [...text]);
  if (text.length > 20) return false;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

/** Texts that the pattern probably matches, short ones first; the caller checks them. */
export function* samplesOf(pattern: string, minLength: number): Generator<string> {
  const tree = parsePattern(pattern);
  if (tree === undefined) {
    yield* ['demo', 'Demo1234', 'Demo-1234!', '1234', 'DEMO', 'demo@example.com'];
    return;
  }
  for (const extra of [0, 1, 2, 4, 8, 16, 32, minLength]) {
    for (let turn = 0; turn < 4; turn += 1) yield sample(tree, extra, turn).slice(0, 10_000);
  }
}

type Step =
  | { readonly op: 'set'; readonly ranges: readonly CodePointRange[] }
  | { readonly op: 'split'; readonly to: readonly number[] }
  | { readonly op: 'start' | 'end' | 'match' };

const programs = new WeakMap<PatternNode, readonly Step[]>();

function compile(pattern: string): readonly Step[] | undefined {
  const tree = parsePattern(pattern);
  if (tree === undefined) return undefined;
  const known = programs.get(tree);
  if (known !== undefined) return known;
  const steps: Step[] = [];
  try {
    emit(tree, steps);
  } catch (error) {
    if (error instanceof UnsupportedPattern) return undefined;
    throw error;
  }
  steps.push({ op: 'match' });
  programs.set(tree, steps);
  return steps;
}

function emit(node: PatternNode, steps: Step[]): void {
  if (steps.length > 5000) throw new UnsupportedPattern('too large');
  switch (node.kind) {
    case 'set':
      steps.push({ op: 'set', ranges: node.ranges });
      return;
    case 'start':
    case 'end':
      steps.push({ op: node.kind });
      return;
    case 'sequence':
      for (const part of node.nodes) emit(part, steps);
      return;
    case 'choice': {
      const fork = steps.push({ op: 'split', to: [] }) - 1;
      const starts: number[] = [];
      const exits: number[] = [];
      for (const part of node.nodes) {
        starts.push(steps.length);
        emit(part, steps);
        exits.push(steps.push({ op: 'split', to: [] }) - 1);
      }
      steps[fork] = { op: 'split', to: starts };
      for (const exit of exits) steps[exit] = { op: 'split', to: [steps.length] };
      return;
    }
    case 'repeat': {
      for (let count = 0; count < node.min; count += 1) emit(node.node, steps);
      const optional = node.max === Infinity ? 1 : node.max - node.min;
      for (let count = 0; count < optional; count += 1) {
        const fork = steps.push({ op: 'split', to: [] }) - 1;
        emit(node.node, steps);
        if (node.max === Infinity) steps.push({ op: 'split', to: [fork] });
        steps[fork] = { op: 'split', to: [fork + 1, steps.length] };
      }
      return;
    }
    default:
      return node satisfies never;
  }
}

/** Whether the program matches anywhere in the text. */
function run(program: readonly Step[], chars: readonly string[]): boolean {
  let active: number[] = [];
  for (let at = 0; at <= chars.length; at += 1) {
    const seen = new Set<number>();
    const waiting: number[] = [];
    const pending = [...active, 0];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (seen.has(index)) continue;
      seen.add(index);
      const step = program[index];
      if (step === undefined) continue;
      if (step.op === 'match') return true;
      if (step.op === 'set') waiting.push(index);
      else if (step.op === 'split') pending.push(...step.to);
      else if (at === (step.op === 'start' ? 0 : chars.length)) pending.push(index + 1);
    }
    const point = chars[at]?.codePointAt(0);
    if (point === undefined) return false;
    active = waiting.filter((index) => contains(program[index], point)).map((index) => index + 1);
  }
  return false;
}

function contains(step: Step | undefined, point: number): boolean {
  return step?.op === 'set' && step.ranges.some(([low, high]) => point >= low && point <= high);
}

const likedPoints = [...'ab1A0 -_.@'].map((char) => char.codePointAt(0) ?? 97);

function sample(node: PatternNode, extra: number, turn: number): string {
  switch (node.kind) {
    case 'set': {
      const liked = likedPoints.filter((point) => node.ranges.some(([low, high]) => point >= low && point <= high));
      const point = liked[turn % Math.max(1, liked.length)] ?? node.ranges[0]?.[0];
      return point === undefined ? '' : String.fromCodePoint(point);
    }
    case 'sequence':
      return node.nodes.map((part) => sample(part, extra, turn)).join('');
    case 'choice': {
      const part = node.nodes[turn % node.nodes.length];
      return part === undefined ? '' : sample(part, extra, turn);
    }
    case 'repeat':
      // Inner repetitions use their minimum, because nested repetitions multiply.
      return Array.from({ length: Math.min(node.max, node.min + extra, 2000) }, () => sample(node.node, 0, turn))
        .join('')
        .slice(0, 10_000);
    case 'start':
    case 'end':
      return '';
    default:
      return node satisfies never;
  }
}
