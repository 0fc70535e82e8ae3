import { type ReactNode, useState } from 'react';
import { useCredential } from '../access/credential.ts';
import { useRunToken } from '../access/run-credential.ts';
import { apiUrl } from '../api/client.ts';
import { CodeBlock } from './code-block.tsx';
import { Segmented } from './segmented.tsx';
import styles from './request-code.module.css';

/**
 * The placeholder for the credential in code: never the credential itself, which people would paste
 * elsewhere.
 */
export type CodeCredential = 'token' | 'key' | 'development';

interface RequestCodeProps {
  /** Below the address of the API: `tools/getTime/execute`. */
  readonly path: string;
  readonly body: unknown;
  /** Whether the reply is a stream, which curl must not buffer. */
  readonly isStream?: boolean;
  /** Code for TypeScript, if it is more than a plain request. */
  readonly typescript?: (credential: CodeCredential) => string;
  /** A route for operators: the code has a place for the console key. */
  readonly isOperators?: boolean;
}

/** The same request as a command and as code, to copy. */
export function RequestCode({
  path,
  body,
  isStream = false,
  typescript,
  isOperators = false,
}: RequestCodeProps): ReactNode {
  const [language, setLanguage] = useState<'curl' | 'typescript'>('curl');
  const token = useRunToken();
  const kind = useCredential()?.kind;
  const credential: CodeCredential =
    isOperators && kind === 'key' ? 'key' : kind === 'token' || token !== undefined ? 'token' : 'development';
  const code =
    language === 'curl'
      ? toCurl(path, body, credential, isStream)
      : (typescript?.(credential) ?? toTypescript(path, body, credential));
  return (
    <section className={styles.code} aria-label="The same request as code">
      <div className={styles.head}>
        <h3>The same request</h3>
        <Segmented
          label="Language"
          value={language}
          options={[
            { value: 'curl', name: 'curl' },
            { value: 'typescript', name: 'TypeScript' },
          ]}
          onChange={setLanguage}
        />
      </div>
      <CodeBlock code={code} label="Request" />
    </section>
  );
}

function toCurl(path: string, body: unknown, credential: CodeCredential, isStream: boolean): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  const header = curlHeaders[credential];
  return `curl ${isStream ? '-N ' : ''}${apiUrl}${path} \\
  -H 'content-type: application/json' \\
  -H ${header} \\
  -d '${json}'`;
}

const curlHeaders: Readonly<Record<CodeCredential, string>> = {
  token: '"authorization: Bearer $TOKEN"',
  key: '"x-console-access-key: $CONSOLE_KEY"',
  development: "'x-service-dev: true'",
};

function toTypescript(path: string, body: unknown, credential: CodeCredential): string {
  return `const response = await fetch('${apiUrl}${path}', {
  method: 'POST',
  headers: { 'content-type': 'application/json', ${headerCode(credential)} },
  body: JSON.stringify(${indented(body)}),
});
const { data, error } = await response.json();`;
}

/** The header of the credential in an object of TypeScript. */
export function headerCode(credential: CodeCredential): string {
  if (credential === 'key') return "'x-console-access-key': consoleKey";
  return credential === 'token' ? 'authorization: `Bearer ${token}`' : "'x-service-dev': 'true'";
}

/** A value in code that is indented by two spaces. */
export function indented(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
}
