import type { PackageManager } from './choices.ts';

/** The commands of a package manager, as a person types them. */
export interface PackageCommands {
  readonly install: string;
  /** Before the name of a script: `npm run`. */
  readonly run: string;
  readonly add: string;
  readonly addDev: string;
  readonly create: string;
  /** The files that decide about the dependencies, for the Dockerfile. Patterns may match nothing. */
  readonly manifests: string;
  /** In the Dockerfile. */
  readonly installForProduction: string;
  /** In the CI file. */
  readonly ciInstall: string;
}

export const packageCommands: Readonly<Record<PackageManager, PackageCommands>> = {
  npm: {
    install: 'npm install',
    run: 'npm run',
    add: 'npm install --save-exact',
    addDev: 'npm install --save-dev',
    create: 'npm create halyard@latest --',
    manifests: 'package.json package-lock.json* .npmrc*',
    installForProduction: 'npm ci --omit=dev',
    ciInstall: 'npm ci',
  },
  pnpm: {
    install: 'pnpm install',
    run: 'pnpm run',
    add: 'pnpm add --save-exact',
    addDev: 'pnpm add --save-dev',
    create: 'pnpm create halyard@latest',
    manifests: 'package.json pnpm-lock.yaml* pnpm-workspace.yaml* .npmrc*',
    installForProduction: 'corepack enable && pnpm install --prod --frozen-lockfile',
    ciInstall: 'corepack enable && pnpm install --frozen-lockfile',
  },
  // Its options differ between version 1 and later ones, so only those are used that all have.
  yarn: {
    install: 'yarn install',
    run: 'yarn run',
    add: 'yarn add --exact',
    addDev: 'yarn add --dev',
    create: 'yarn create halyard',
    manifests: 'package.json yarn.lock* .yarnrc*',
    installForProduction: 'corepack enable && yarn install',
    ciInstall: 'corepack enable && yarn install',
  },
  bun: {
    install: 'bun install',
    run: 'bun run',
    add: 'bun add --exact',
    addDev: 'bun add --dev',
    create: 'bun create halyard@latest',
    manifests: 'package.json bun.lock* bunfig.toml*',
    installForProduction: 'npx -y bun install --production --frozen-lockfile',
    ciInstall: 'npm install --global bun && bun install --frozen-lockfile',
  },
};
