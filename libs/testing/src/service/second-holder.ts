import { issueCredential } from './operator.js';
import { eventually } from './eventually.js';
import { MerchantClient } from './merchant-client.js';
import { type Service } from './service.js';

/** A second holder of the merchant, who decides the first one's requests. */
export async function secondHolder(service: Service): Promise<MerchantClient> {
  const { merchantId, accountNo } = service.merchant.credentials;
  const issued = await issueCredential(service.env, merchantId, 'the checker');
  const checker = new MerchantClient(service.baseUrl, { merchantId, accountNo, ...issued });
  await eventually(
    () =>
      checker.signIn().then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  return checker;
}
