/** Runs checks and prints the result of each. */
export interface Report {
  /** Returns whether the check passed. */
  readonly step: (name: string, check: () => Promise<unknown>) => Promise<boolean>;
  /** Prints a check that this machine cannot run. */
  readonly skip: (name: string, reason: string) => void;
  /** Prints a summary, and makes the process fail if a check has failed. */
  readonly end: (success: string) => void;
}

export function createReport(): Report {
  let failed = 0;
  const skipped: string[] = [];
  return {
    step: async (name, check) => {
      const startedAt = performance.now();
      try {
        await check();
        console.log(`ok    ${name} (${seconds(startedAt)} s)`);
        return true;
      } catch (error) {
        failed += 1;
        console.error(
          `FAIL  ${name} (${seconds(startedAt)} s)\n${error instanceof Error ? error.message : String(error)}`,
        );
        return false;
      }
    },
    skip: (name, reason) => {
      skipped.push(name);
      console.log(`SKIP  ${name}: ${reason}`);
    },
    end: (success) => {
      if (skipped.length > 0) console.log(`Not checked: ${skipped.join(', ')}.`);
      console.log(failed === 0 ? success : `${failed} checks failed.`);
      process.exitCode = failed === 0 ? 0 : 1;
    },
  };
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}
