import type { Registry } from '@halyard/core';
import type { Site } from '../define/services.ts';
export const landingPagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
export function landingPage(_registry: Registry, _site: Site): string { return '<!doctype html><title>Halyard</title>'; }
