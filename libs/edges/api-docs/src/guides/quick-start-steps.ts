/** One step of the quick start: its purpose and the exact commands. */
export interface QuickStartStep {
  readonly title: string;
  readonly why: string;
  /** POSIX shell. All steps run in one shell, in one folder. */
  readonly shell: string;
  /** The expected result, or what to do before the next step. */
  readonly then: string;
}

/**
 * Returns the steps from an empty folder to a completed collection, with only curl and openssl. A test follows them
 * exactly.
 */
export function quickStart(baseUrl: string): readonly QuickStartStep[] {
  return [key, given(baseUrl), token, sign, collect, wait, look];
}

const key: QuickStartStep = {
  title: 'Make a key',
  why: 'You sign your requests with it. The private key never leaves your machine.',
  shell: `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out merchant.key
openssl pkey -in merchant.key -pubout -out merchant.pub`,
  then: 'Give `merchant.pub` and your source addresses to your operator. They register both with `npx pesapost credential issue` and give you a client id, a client secret and an account number.',
};

function given(baseUrl: string): QuickStartStep {
  return {
    title: 'Set your credentials',
    why: 'This is the only step in which you change values.',
    shell: `BASE_URL=${baseUrl}
CLIENT_ID=your-client-id
CLIENT_SECRET=your-client-secret
ACCOUNT_NO=your-account-number`,
    then: 'Stay in this shell, because the next steps use these variables.',
  };
}

const token: QuickStartStep = {
  title: 'Get an access token',
  why: 'A token is valid for an hour. A new one does not end the others.',
  shell: `curl -sS -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials \\
  "$BASE_URL/api/v4/oauth/token" > token.json
TOKEN=$(sed -n 's/.*"access_token":"\\([^"]*\\)".*/\\1/p' token.json)`,
  then: '`token.json` contains `access_token`, `token_type` and `expires_in`.',
};

const sign: QuickStartStep = {
  title: 'Define a function that signs',
  why: 'It signs six lines without a line feed at the end, and sends the request with three headers. Each request has a new nonce. Pass the query in canonical form: sorted by name and encoded by RFC 3986.',
  shell: `# signed METHOD PATH CANONICAL-QUERY BODY [further options of curl]
signed() {
  method=$1 path=$2 query=$3 body=$4
  shift 4
  nonce=$(openssl rand -hex 16)
  timestamp=$(date +%s)
  digest=$(printf %s "$body" | openssl dgst -sha256 -r)
  printf '%s\\n%s\\n%s\\n%s\\n%s\\n%s' \\
    "$method" "$path" "$query" "\${digest%% *}" "$nonce" "$timestamp" > string-to-sign
  signature=$(openssl dgst -sha256 -sign merchant.key string-to-sign | openssl base64 -A)
  if [ -n "$body" ]; then
    set -- -H 'Content-Type: application/json' --data-binary "$body" "$@"
  fi
  curl -sS -X "$method" "$BASE_URL$path\${query:+?$query}" \\
    -H "Authorization: Bearer $TOKEN" -H "X-PP-Signature: $signature" \\
    -H "X-PP-Nonce: $nonce" -H "X-PP-Timestamp: $timestamp" "$@"
}`,
  then: 'If a signature is refused, compare `string-to-sign` with the [walk-through](/docs/guides/signing#signing-walk-through).',
};

const collect: QuickStartStep = {
  title: 'Ask a customer to pay',
  why: 'The amount is KES 250.00. The reference is your own and unique. The key makes the call safe to repeat.',
  shell: `REFERENCE=quick-start-$(openssl rand -hex 4)
BODY='{"account_no":"'$ACCOUNT_NO'","phone":"254712345678","amount_minor":25000,"currency":"KES","channel":"mpesa","reference":"'$REFERENCE'"}'
signed POST /api/v4/collections '' "$BODY" -H "Idempotency-Key: $REFERENCE"`,
  then: 'You get 202 and `"status":"pending"`: the prompt is on the customer’s phone. No money has moved.',
};

const wait: QuickStartStep = {
  title: 'Wait until M-Pesa confirms',
  why: 'In demo mode the simulated customer pays at once.',
  shell: `until signed GET "/api/v4/collections/$REFERENCE" '' '' -D headers.txt -o collection.json &&
  grep '"status":"completed"' collection.json; do
  sleep 1
done
POSITION=$(sed -n 's/^[Xx]-[Pp][Pp]-[Ll]edger-[Pp]osition: *\\([0-9]*\\).*/\\1/p' headers.txt)`,
  then: 'You get `"status":"completed"` with M-Pesa’s `receipt` and the fee: the money is in your wallet. `POSITION` is the position of the ledger.',
};

const look: QuickStartStep = {
  title: 'See it in the list and in the balance',
  why: 'Query parameters are signed too. List and balance are views, which are a moment behind the ledger. With your position they answer as soon as they have reached it.',
  shell: `signed GET /api/v4/transactions 'limit=1&status=completed' '' -H "X-PP-Min-Position: $POSITION"
signed GET "/api/v4/accounts/$ACCOUNT_NO/balance" '' '' -H "X-PP-Min-Position: $POSITION"`,
  then: 'The collection is in the list, and the balance has grown by the amount less the fee.',
};
