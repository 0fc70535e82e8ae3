/**
 * The credential that each route requires, written by hand: in policy mode, in policy mode with the
 * lists of {@link lists}, and in legacy mode. `rest` in legacy mode is open, unless
 * `defaultPrivate` makes it a user's. So is `calls`, which verifies a token that is sent. `answers`
 * is a user's too, but takes the console key for a request that names what it is about.
 */
export const routeTable = `
GET    /agents                                                       console  user     public
GET    /agents/:id                                                   console  public   public
GET    /agents/:id/history                                           console  user     public
POST   /agents/:id/text                                              user     user     user
POST   /agents/:id/stream                                            user     user     user
POST   /agents/:id/chat                                              user     user     user
GET    /agents/:id/chat/:conversationId/stream                       user     user     user
POST   /agents/:id/chat/:conversationId/stop                         user     user     user
POST   /agents/:id/feedback                                          user     user     user
POST   /agents/:id/object                                            user     user     user
POST   /agents/:id/stream-object                                     user     user     user
POST   /agents/:id/try                                               console  user     either
GET    /api/catalog                                                  user     user     rest
GET    /api/identity                                                 answers  answers  rest
GET    /workflows                                                    console  user     public
GET    /workflows/:id                                                console  console  public
POST   /workflows/:id/execute                                        user     user     user
POST   /workflows/:id/stream                                         user     user     user
POST   /workflows/events                                             either   either   either
GET    /workflows/executions                                         console  user     public
POST   /workflows/executions/bulk/preview                            console  user     either
POST   /workflows/executions/bulk                                    console  user     either
GET    /workflows/executions/bulk/:bulkId                            console  user     either
POST   /workflows/executions/bulk/:bulkId/cancel                     console  user     either
GET    /workflows/:id/executions/:executionId/state                  console  user     public
GET    /workflows/:id/executions/:executionId                        user     user     rest
GET    /workflows/:id/executions/:executionId/stream                 user     user     rest
POST   /workflows/:id/executions/:executionId/stream-ticket          user     user     rest
POST   /workflows/:id/executions/:executionId/suspend                user     user     rest
POST   /workflows/:id/executions/:executionId/resume                 answers  answers  rest
POST   /workflows/:id/executions/:executionId/cancel                 user     user     rest
POST   /workflows/:id/executions/:executionId/terminate              either   either   either
POST   /workflows/:id/executions/:executionId/retry                  either   either   either
POST   /workflows/:id/executions/:executionId/replay                 either   either   either
GET    /tools                                                        console  user     public
POST   /tools/:name/execute                                          user     public   public
GET    /api/memory/conversations                                     user     console  user
GET    /api/memory/conversations/:conversationId                     user     console  user
POST   /api/memory/conversations                                     user     console  user
PATCH  /api/memory/conversations/:conversationId                     user     console  user
DELETE /api/memory/conversations/:conversationId                     user     console  user
POST   /api/memory/conversations/:conversationId/clone               user     console  user
GET    /api/memory/conversations/:conversationId/messages            user     console  user
POST   /api/memory/save-messages                                     user     console  user
POST   /api/memory/messages/delete                                   user     console  user
GET    /api/memory/conversations/:conversationId/working-memory      user     console  user
POST   /api/memory/conversations/:conversationId/working-memory      user     console  user
GET    /api/memory/search                                            user     console  user
GET    /api/memory/users/:userId/export                              user     console  user
DELETE /api/memory/users/:userId                                     user     console  user
GET    /observability/conversations                                  console  user     either
GET    /observability/conversations/:conversationId                  console  user     either
GET    /observability/conversations/:conversationId/messages         console  user     either
GET    /observability/conversations/:conversationId/working-memory   console  user     either
GET    /observability/memory/search                                  console  user     either
GET    /observability/users/:userId/export                           console  user     either
GET    /approvals                                                    console  user     either
POST   /approvals/answer                                             console  user     either
GET    /api/approvals                                                user     user     user
POST   /api/approvals/answer                                         user     user     user
GET    /approvals/grants                                             console  user     either
DELETE /approvals/grants/:grantId                                    console  user     either
GET    /api/approvals/grants                                         user     user     user
DELETE /api/approvals/grants/:grantId                                user     user     user
GET    /webhooks/deliveries                                          console  user     either
POST   /webhooks/deliveries/:deliveryId/redeliver                    console  user     either
POST   /hooks/:hookId                                                public   public   public
GET    /audit                                                        console  user     either
GET    /audit/export                                                 console  user     either
GET    /api/executions                                               user     user     user
GET    /observability/workflows/:id/executions/:executionId/stream   console  user     either
GET    /observability/status                                         console  user     either
GET    /observability/system                                         console  user     either
GET    /observability/traces                                         console  user     either
GET    /observability/traces/:traceId                                console  user     either
GET    /observability/spans/:spanId                                  console  user     either
GET    /observability/traces/:traceId/logs                           console  user     either
GET    /observability/spans/:spanId/logs                             console  user     either
GET    /observability/logs                                           console  user     either
GET    /observability/metrics                                        console  user     either
GET    /observability/failures                                       console  user     either
GET    /observability/spans                                          console  user     either
GET    /observability/agents/:id                                     console  user     either
POST   /setup-observability                                          console  user     either
GET    /updates                                                      console  user     either
POST   /updates                                                      console  user     either
POST   /updates/:packageName                                         console  user     either
GET    /api/logs                                                     console  user     either
GET    /agents/:id/card                                              console  user     public
GET    /mcp/servers                                                  console  user     public
GET    /mcp/servers/:serverId                                        console  user     public
GET    /mcp/servers/:serverId/tools                                  console  user     public
POST   /mcp/:serverId                                                user     user     calls
GET    /mcp/:serverId                                                user     user     rest
DELETE /mcp/:serverId                                                user     user     rest
GET    /                                                             console  user     public
GET    /doc                                                          console  user     public
GET    /healthz                                                      public   public   public
GET    /approvals/link                                               public   public   public
POST   /approvals/link                                               public   public   public
GET    /readyz                                                       public   public   public
GET    /.well-known/oauth-protected-resource                         public   public   public
GET    /.well-known/oauth-protected-resource/mcp/:serverId           public   public   public
GET    /metrics                                                      console  user     either
`;

/** Paths that no endpoint serves: files of the explorer, routes of the app, and unknown paths. */
export const otherTable = `
GET    /ui                                                           console  user     public
GET    /ui/static/swagger-ui.css                                     console  user     public
GET    /mine                                                         user     user     rest
POST   /mine                                                         user     console  rest
GET    /mine/:id                                                     user     public   rest
GET    /nowhere                                                      either   either   nowhere
PUT    /agents                                                       either   either   nowhere
POST   /ui/static/nothing                                            either   either   nowhere
`;

/** The lists of the third column. A route in both lists is public. */
export const lists = {
  publicRoutes: ['GET /agents/:id', 'get /mine/:id'],
  providersPublicRoutes: ['/tools/:name/execute'],
  consoleRoutes: ['GET /agents/:id', 'GET /workflows/:id', '/api/memory/**', 'post /mine'],
};
/**
 * The additional public route in legacy mode: the only one whose column differs from the contract.
 */
export const legacyPublicRoutes = ['POST /tools/:name/execute'];

/**
 * The outcome by credentials and requirement. `A` is a 401 with the text "Authentication required",
 * `T` "Invalid or expired token", `C` "Console access required". `S` is a token without a user id:
 * accepted if the route does not need the user, else `T`. `x|y`: in production, elsewhere.
 */
const credentialTable = `
credentials                                 public   console   user       either
none                                        anyone   C         A          A
bad token                                   anyone   C         T          T
expired token                               anyone   C         T          T
token of no algorithm                       anyone   C         T          T
token of another algorithm                  anyone   C         T          T
token of ada                                anyone   C         ada        ada
token of eve                                anyone   C         eve        eve
token of a service                          anyone   C         S          S
bearer in capitals                          anyone   C         ada        ada
basic authorization                         anyone   C         A          A
bearer of nothing                           anyone   C         A          A
token in query                              anyone   C         A          A
key in header                               anyone   anyone    A          anyone
key in query                                anyone   anyone    A          anyone
key in another case                         anyone   C         A          A
wrong key in header                         anyone   C         A          A
wrong key in query                          anyone   C         A          A
empty key in header                         anyone   C         A          A
empty key in query                          anyone   C         A          A
key twice in query                          anyone   C         A          A
empty header, key in query                  anyone   C         A          A
wrong header, key in query                  anyone   C         A          A
key in header, wrong in query               anyone   anyone    A          anyone
key and token of ada                        anyone   anyone    ada        anyone
key and bad token                           anyone   anyone    T          anyone
wrong key and token of ada                  anyone   C         ada        ada
key as token                                anyone   C         T          T
token of ada as key                         anyone   C         A          A
dev header                                  anyone   C|anyone  A|anyone   A|anyone
dev header of own page                      anyone   C|anyone  A|anyone   A|anyone
dev header from another site                anyone   C         A          A
dev header with foreign origin              anyone   C         A          A
dev header with origin null                 anyone   C         A          A
dev header in capitals                      anyone   C         A          A
dev query                                   anyone   C         A          A
dev query and upgrade header                anyone   C         A          A
dev header and token of ada                 anyone   C|anyone  ada        ada
dev header and bad token                    anyone   C|anyone  T|anyone   T|anyone
dev header and wrong key                    anyone   C|anyone  A|anyone   A|anyone
`;

export interface RouteRow {
  readonly method: string;
  readonly url: string;
  readonly policy: string;
  readonly listed: string;
  readonly legacy: string;
}

export function readRoutes(table: string): readonly RouteRow[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [method = '', url = '', policy = '', listed = '', legacy = ''] = line.split(/\s+/);
      return { method, url, policy, listed, legacy };
    });
}

export type Outcomes = Readonly<Record<string, string>>;

/** Outcomes by credentials. With `calls` only a request that sends an invalid token is refused. */
export function readCredentials(): ReadonlyMap<string, Outcomes> {
  const [, ...lines] = credentialTable.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [name = '', open = '', console = '', user = '', either = ''] = line.split(/\s{2,}/);
      return [
        name,
        {
          public: open,
          console,
          user,
          either,
          answers: user === 'A' ? either : user,
          calls: user.replaceAll(/\bA\b/g, 'anyone'),
        },
      ];
    }),
  );
}
