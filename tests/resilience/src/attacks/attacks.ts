import { crossUser } from './access/cross-user.ts';
import { matrix } from './access/matrix.ts';
import { paths } from './access/paths.ts';
import { ssrf } from './access/ssrf.ts';
import { tokens } from './access/tokens.ts';
import { clockJumps } from './environment/clock-jumps.ts';
import { diskFull } from './environment/disk-full.ts';
import { failingCalls } from './environment/failing-calls.ts';
import { powerFailure } from './environment/power-failure.ts';
import { slowNetwork } from './environment/slow-network.ts';
import type { Attack } from './harness/attack.ts';
import { bombs } from './input/bombs.ts';
import { framing } from './input/framing.ts';
import { fuzz } from './input/fuzz.ts';
import { modelOutput } from './input/model-output.ts';
import { routes } from './input/routes.ts';
import { costlyRequests } from './resources/costly-requests.ts';
import { hostileFrames } from './resources/hostile-frames.ts';
import { memoryAmplification } from './resources/memory-amplification.ts';
import { memoryCampaign } from './resources/memory-campaign.ts';
import { oddRequests } from './resources/odd-requests.ts';
import { slowLoris } from './resources/slow-loris.ts';
import { slowReaders } from './resources/slow-readers.ts';
import { soak } from './soak/soak.ts';

/** All attacks, in the order in which they run. */
export const attacks: readonly Attack[] = [
  fuzz,
  modelOutput,
  framing,
  bombs,
  matrix,
  crossUser,
  tokens,
  paths,
  ssrf,
  routes,
  hostileFrames,
  memoryAmplification,
  memoryCampaign,
  costlyRequests,
  oddRequests,
  slowLoris,
  slowReaders,
  clockJumps,
  diskFull,
  failingCalls,
  powerFailure,
  slowNetwork,
  soak,
];
