import type { AnyEndpoint } from '../../api/define/endpoint.ts';

/** An endpoint whose requests are recorded in the audit trail, as its field `audit` says. */
export function recordAudit(endpoint: AnyEndpoint): AnyEndpoint {
  const { audit } = endpoint;
  if (audit === undefined) return endpoint;
  switch (endpoint.kind) {
    case 'route':
      return {
        ...endpoint,
        handler: (call, services) => {
          const entry = audit(call);
          const handle = async (): Promise<unknown> => endpoint.handler(call, services);
          return entry === undefined ? handle() : services.audit.record(entry, call.caller, handle);
        },
      };
    case 'stream':
      return {
        ...endpoint,
        handler: (call, services) => {
          const entry = audit(call);
          const handle = () => endpoint.handler(call, services);
          return entry === undefined ? handle() : services.audit.record(entry, call.caller, handle);
        },
      };
    default:
      return endpoint;
  }
}
