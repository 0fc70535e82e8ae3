export { createRestateEngine, type RestateEngineOptions } from './create-restate-engine.ts';
export { registerDeployment } from './register-deployment.ts';
