import { memberObject, parseObject, textOf } from '#edges/rails';

/** The texts with which the gateway before Daraja turns a request away, and Daraja's code for each. */
const gatewayFaults: Readonly<Record<string, string>> = {
  'policies.ratelimit.SpikeArrestViolation': '500.003.02',
  'policies.ratelimit.QuotaViolation': '500.003.03',
};

/** The form of Daraja's codes. A firewall's JSON has other codes. */
const errorCodePattern = /^\d{3}\.\d{3}\.\d{1,4}$/;

/** Returns the `errorCode` of an answer that is one of Daraja's own errors, or one of its gateway's. */
export function errorCodeIn(answer: Readonly<Record<string, unknown>>): string | undefined {
  const fault = textOf(memberObject(memberObject(answer, 'fault'), 'detail') ?? {}, 'errorcode');
  const ofGateway =
    fault !== undefined && Object.hasOwn(gatewayFaults, fault) ? gatewayFaults[fault] : undefined;
  const ofDaraja = textOf(answer, 'errorCode');
  return ofDaraja !== undefined && errorCodePattern.test(ofDaraja) ? ofDaraja : ofGateway;
}

/** The same for an answer's text. */
export function errorCodeOf(body: string): string | undefined {
  const answer = parseObject(body);
  return answer && errorCodeIn(answer);
}
