/** The only rail of this release. */
export const railChannel = 'mpesa';
