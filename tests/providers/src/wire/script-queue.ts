import type { RecordedRequest } from './recorded-request.ts';

/** A script, or a function that chooses one by the request. */
export type ScriptSource<Script> = Script | ((request: RecordedRequest) => Script);

/** The scripts of the next requests, in order. */
export interface ScriptQueue<Script> {
  /** The number of unused scripts. */
  readonly size: number;
  add(scripts: readonly ScriptSource<Script>[]): void;
  /** The answer to every request when no script is left. */
  setDefault(script: ScriptSource<Script>): void;
  take(request: RecordedRequest): Script | undefined;
}

export function createScriptQueue<Script extends object>(): ScriptQueue<Script> {
  const waiting: ScriptSource<Script>[] = [];
  let fallback: ScriptSource<Script> | undefined;
  return {
    get size() {
      return waiting.length;
    },
    add: (scripts) => void waiting.push(...scripts),
    setDefault: (script) => {
      fallback = script;
    },
    take: (request) => {
      const source = waiting.shift() ?? fallback;
      return typeof source === 'function' ? source(request) : source;
    },
  };
}
