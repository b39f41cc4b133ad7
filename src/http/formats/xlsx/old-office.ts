const SIGNATURE = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Whether bytes begin as files of Office before 2007 do, and files of later ones that are encrypted. */
export const isOldOffice = (bytes: Uint8Array): boolean => SIGNATURE.equals(bytes.subarray(0, SIGNATURE.length));
