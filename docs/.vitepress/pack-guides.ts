import { join } from 'node:path';
import { copyGuides } from './copy-guides.ts';

// The package core contains the guides: `prepack` of its package.json.
copyGuides(join(import.meta.dirname, '../../packages/core/docs'));
