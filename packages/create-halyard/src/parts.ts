/**
 * A part that `--add` adds to an app. The first three are also questions about a new app; a new app
 * always has the others.
 */
export type PartName = 'auth-jwt' | 'postgres' | 'docker' | 'ci' | 'agents-md' | 'test';

export const partNames: readonly PartName[] = ['auth-jwt', 'postgres', 'docker', 'ci', 'agents-md', 'test'];

/** The contents of a part. */
export interface Part {
  /** The folders of the template whose files it has. */
  readonly folders: readonly string[];
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  /** The steps after its files are written; `{{name}}` are values of the app. */
  readonly steps: readonly string[];
}

export const testScript = 'node --test "src/**/*.test.ts"';
export const tokenScript = 'node --env-file-if-exists=.env src/print-token.ts';

export const parts: Readonly<Record<PartName, Part>> = {
  'auth-jwt': {
    folders: ['parts/auth-jwt'],
    dependencies: ['@halyard/auth-jwt'],
    devDependencies: ['jsonwebtoken', '@types/jsonwebtoken'],
    scripts: { token: tokenScript },
    steps: [
      'In .env: JWT_SECRET={{jwtSecret}}',
      "Where the server is created: import { createAuth } from './auth.ts', and createServer({ …, auth: createAuth() })",
    ],
  },
  postgres: {
    folders: ['parts/postgres', 'storage-postgres'],
    dependencies: ['@halyard/memory-postgres', 'pg'],
    devDependencies: [],
    scripts: {},
    steps: [
      'In .env: DATABASE_URL=postgres://halyard:halyard@127.0.0.1:5432/halyard',
      'Start the database: docker compose up --detach --wait',
      "Where the server is created: import { openStorage } from './storage.ts', and createServer({ …, storage }). If you had a src/storage.ts, use createPostgresStorage({ connectionString: process.env['DATABASE_URL'] }) there.",
    ],
  },
  docker: {
    folders: ['parts/docker'],
    dependencies: [],
    devDependencies: [],
    scripts: {},
    steps: [
      'Build and run it: docker build --tag {{name}} . && docker run --env-file .env --publish 3141:3141 {{name}}',
    ],
  },
  ci: { folders: ['parts/ci'], dependencies: [], devDependencies: [], scripts: {}, steps: [] },
  'agents-md': {
    folders: ['parts/agents-md'],
    dependencies: [],
    devDependencies: [],
    scripts: {},
    steps: ['Check in AGENTS.md what it says about the files of your app.'],
  },
  test: { folders: ['parts/test'], dependencies: [], devDependencies: [], scripts: { test: testScript }, steps: [] },
};
