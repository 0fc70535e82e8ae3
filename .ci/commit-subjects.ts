// node .ci/commit-subjects.ts: checks the subjects of the commits that are not in the base branch
// yet. The base is the target of a pull request, the commit before a push, or origin/main. Without
// one, only the last commit is checked.
import { execFileSync } from 'node:child_process';

/** `git log --oneline` cuts longer subjects off, and so do most pages and terminals. */
const maxLength = 72;

/** @param log one commit per line: its hash, a space, its subject. */
export function longSubjects(log: string): readonly string[] {
  const commits = log.split('\n').filter((line) => line !== '');
  return commits.flatMap((line) => {
    const { length } = line.slice(line.indexOf(' ') + 1);
    return length > maxLength ? [`${line}\n  has ${length} characters`] : [];
  });
}

if (import.meta.main) {
  const base = baseOf(process.env);
  if (base === undefined) console.log('No base branch: only the last commit is checked.');
  const range = base === undefined ? ['--max-count=1', 'HEAD'] : [`${base}..HEAD`];
  // Git and GitHub write the subjects of merges.
  const faults = longSubjects(git('log', '--no-merges', '--format=%h %s', ...range));
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    console.error(`A subject has at most ${maxLength} characters. Put the reason into the body.`);
    process.exitCode = 1;
  }
}

function baseOf({ BEFORE, GITHUB_BASE_REF }: NodeJS.ProcessEnv): string | undefined {
  const candidates = [GITHUB_BASE_REF && `origin/${GITHUB_BASE_REF}`, BEFORE, 'origin/main'];
  // The commit before the first push of a branch consists of zeros, and a forced push removes it.
  return candidates.find((candidate) => candidate && isCommit(candidate));
}

function isCommit(name: string): boolean {
  try {
    git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
    return true;
  } catch {
    return false;
  }
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}
