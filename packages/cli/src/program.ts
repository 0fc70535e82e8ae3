import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { DoctorFlags } from './commands/doctor.ts';
import type { MigrateFlags } from './commands/migrate.ts';
import type { RegisterFlags } from './commands/restate-register.ts';
import type { RetentionFlags } from './commands/retention.ts';
import type { TerminateFlags } from './commands/terminate-execution.ts';
import type { ServerFlags } from './server.ts';

/**
 * The commands. Each loads its code when it runs. @param setExitCode receives the exit code of the
 * command.
 */
export function createProgram(setExitCode: (code: number) => void): Command {
  const program = new Command('halyard')
    .description('Runs and operates an app with Halyard. Commands run in the folder of the app, and read its .env.')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print the help')
    .helpCommand(false)
    .option('--verbose', 'print the stack of an error; DEBUG=1 does the same')
    .showHelpAfterError('--help lists the commands and options.')
    .configureHelp({ subcommandTerm })
    .enablePositionalOptions()
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 something failed or must be fixed, 2 wrong usage, 130 interrupted (dev: 0).',
    );

  const add = (added: Command): void => {
    program.addCommand(inheriting(added, program));
  };
  const ending = async (code: number | Promise<number>): Promise<void> => setExitCode(await code);

  add(
    command('dev [entry] [args...]', 'start the app, and restart it when a file changes', ['dev', 'dev src/start.ts'])
      .passThroughOptions()
      .action(async (entry: string | undefined, args: readonly string[]) => {
        const { dev } = await import('./commands/dev.ts');
        await ending(dev(entry, args));
      }),
  );
  add(
    withDatabase(
      command('doctor', 'check Node, packages, keys, the database, its migrations, Restate and the port', [
        'doctor',
        'doctor --json',
      ]),
    )
      .addOption(restateAdmin('--restate-admin <url>'))
      .option('--json', 'print JSON')
      .action(async (flags: DoctorFlags) => {
        const { doctor } = await import('./commands/doctor.ts');
        await ending(doctor(flags));
      }),
  );
  add(restate(program, ending));
  add(migrate(program, ending));
  add(
    command('openapi [entry]', 'write the OpenAPI document of the app', [
      'openapi --out openapi.json',
      'openapi --url http://127.0.0.1:3141 > openapi.json',
    ])
      .option('-o, --out <file>', 'the file; without it, the document is printed')
      .option('--url <address>', 'ask this server instead of loading the app')
      .action(async (entry: string | undefined, flags: { out?: string; url?: string }) => {
        const { openapi } = await import('./commands/openapi.ts');
        await ending(openapi(entry, flags));
      }),
  );
  add(
    withServer(
      command('export <userId>', 'write all data of a user to a file, one JSON record per line', [
        'export ada',
        'export ada --out ada.jsonl --url https://api.example.com',
      ]),
    )
      .option('-o, --out <file>', 'the file (default: <userId>.jsonl); - prints the records')
      .option('--force', 'replace the file if it exists')
      .addHelpText('after', '\nReads the key of the console from SERVICE_CONSOLE_ACCESS_KEY.')
      .action(async (userId: string, flags: ServerFlags & { out?: string; force?: boolean }) => {
        const { exportUser } = await import('./commands/export-user.ts');
        await ending(exportUser(userId, flags));
      }),
  );
  add(
    withServer(command('delete <userId>', 'delete all data of a user', ['delete ada', 'delete ada --yes']))
      .option('-y, --yes', 'ask nothing')
      .addHelpText('after', '\nReads a token of this user from HALYARD_TOKEN: the key of the console may not delete.')
      .action(async (userId: string, flags: ServerFlags & { yes?: boolean }) => {
        const { deleteUser } = await import('./commands/delete-user.ts');
        await ending(deleteUser(userId, flags));
      }),
  );
  add(
    withServer(
      command('terminate <workflowId> <executionId>', 'end an execution that cannot be cancelled; no step is undone', [
        'terminate order 0198f4de-5a3c-7c11-b6a6-2f1de20c31d0',
      ]),
    )
      .option('--reason <text>', 'the reason that the execution records')
      .addHelpText('after', '\nReads the key of the console from SERVICE_CONSOLE_ACCESS_KEY.')
      .action(async (workflowId: string, executionId: string, flags: TerminateFlags) => {
        const { terminateExecution } = await import('./commands/terminate-execution.ts');
        await ending(terminateExecution(workflowId, executionId, flags));
      }),
  );
  add(
    withDatabase(
      command('retention', 'show how much is stored by age, and delete what is old', [
        'retention',
        'retention --older-than 30d --dry-run',
        'retention --older-than 7d --only telemetry --yes',
      ]),
    )
      .option('--older-than <age>', 'delete what is older: 30d, 12h')
      .addOption(new Option('--only <kind>', 'delete only these').choices(['executions', 'telemetry']))
      .option('--dry-run', 'show how much would be deleted')
      .option('-y, --yes', 'ask nothing')
      .action(async ({ only, ...flags }: Omit<RetentionFlags, 'only'> & { only?: 'executions' | 'telemetry' }) => {
        const { retention } = await import('./commands/retention.ts');
        await ending(retention({ ...flags, ...(only !== undefined && { only: [only] }) }));
      }),
  );
  return program;
}

/** Without `[options]`, which all of them have. */
function subcommandTerm(listed: Command): string {
  const parameters = listed.registeredArguments.map((one) => {
    const name = one.variadic ? `${one.name()}...` : one.name();
    return one.required ? ` <${name}>` : ` [${name}]`;
  });
  return listed.name() + parameters.join('');
}

function restate(program: Command, ending: Ending): Command {
  const parent = command('restate', 'tell a Restate cluster where the app is', ['restate register http://app:9080']);
  const register = command('register <deployment>', 'register the address at which Restate reaches the app', [
    'restate register http://app:9080',
    'restate register http://127.0.0.1:9080 --admin http://127.0.0.1:9070',
  ])
    .addOption(restateAdmin('--admin <url>').default('http://127.0.0.1:9070'))
    .option('--force', 'replace what is registered at this address')
    .action(async (deployment: string, flags: RegisterFlags) => {
      const { restateRegister } = await import('./commands/restate-register.ts');
      await ending(restateRegister(deployment, flags));
    });
  parent.addCommand(inheriting(register, program));
  return parent;
}

function restateAdmin(option: string): Option {
  return new Option(option, 'the admin API of Restate').env('RESTATE_ADMIN_URL');
}

type Ending = (code: number | Promise<number>) => Promise<void>;

function migrate(program: Command, ending: Ending): Command {
  const parent = command('migrate', 'list, run and print the migrations of the database', [
    'migrate status',
    'migrate up',
    'migrate sql > migrations.sql',
  ]);
  const add = (name: string, description: string): Command => {
    const added = withDatabase(command(name, description, [`migrate ${name}`])).option(
      '--dimensions <count>',
      'the length of an embedding, to create the table of vectors',
      positiveInteger,
    );
    parent.addCommand(inheriting(added, program));
    return added;
  };
  add('status', 'list what was run and what is pending; exit code 1 if something is pending')
    .option('--json', 'print JSON')
    .action(async (flags: MigrateFlags & { json?: boolean }) => {
      const { migrateStatus } = await import('./commands/migrate.ts');
      await ending(migrateStatus(flags));
    });
  add('up', 'run what is pending, all or nothing').action(async (flags: MigrateFlags) => {
    const { migrateUp } = await import('./commands/migrate.ts');
    await ending(migrateUp(flags));
  });
  add('sql', 'print the statements of what is pending').action(async (flags: MigrateFlags) => {
    const { migrateSql } = await import('./commands/migrate.ts');
    await ending(migrateSql(flags));
  });
  parent.addCommand(
    inheriting(command('down', 'say how to go back to an older version', ['migrate down']), program).action(
      async () => {
        const { migrateDown } = await import('./commands/migrate.ts');
        migrateDown();
      },
    ),
  );
  return parent;
}

function command(usage: string, description: string, examples: readonly string[]): Command {
  const [name, ...parameters] = usage.split(' ');
  const created = new Command(name);
  for (const parameter of parameters) created.argument(parameter);
  return created
    .description(description)
    .helpCommand(false)
    .addHelpText('after', `\nExamples:\n${examples.map((example) => `  halyard ${example}`).join('\n')}`);
}

/** `addCommand` copies no settings. */
function inheriting(child: Command, parent: Command): Command {
  return child
    .copyInheritedSettings(parent)
    .helpOption('-h, --help', 'print the help')
    .option('--verbose', 'print the stack of an error');
}

function withDatabase(to: Command): Command {
  return to
    .option('--database-url <url>', 'the database (default: DATABASE_URL)')
    .option('--data-dir <folder>', 'the `dataDir` of an embedded database (default: .halyard, if it exists)')
    .option('--schema <name>', 'the schema of the tables (default: halyard)');
}

function withServer(to: Command): Command {
  return to.option('--url <address>', 'the address of the server, with its prefix', defaultUrl());
}

/** Where the app of this folder listens. */
function defaultUrl(): string {
  return `http://127.0.0.1:${(process.env['PORT'] ?? '').trim() || '3141'}`;
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}

function version(): string {
  const file = new URL('../package.json', import.meta.url);
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string };
  return manifest.version;
}
