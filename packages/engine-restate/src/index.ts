export { createRestateEngine, type RestateEngineOptions } from './create-restate-engine.ts';
