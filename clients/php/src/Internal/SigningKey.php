<?php

declare(strict_types=1);

namespace PesaPost\Internal;

use InvalidArgumentException;
use OpenSSLAsymmetricKey;
use RuntimeException;
use SensitiveParameter;

/**
 * An RSA key of 2048 bits or more.
 *
 * @internal
 */
final readonly class SigningKey
{
    private const MIN_BITS = 2048;
    private const MAKE_NEW = 'openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out private.pem';

    private OpenSSLAsymmetricKey $key;

    /** Reads a PEM; line feeds may be written as \n, as in environment variables. */
    public function __construct(#[SensitiveParameter] string $pem)
    {
        $text = str_replace(['\r', '\n'], ['', "\n"], $pem);
        // OpenSSL would ask for the password at the terminal, and read a file if the text named one.
        $isEncrypted = str_contains($text, 'ENCRYPTED');
        $key = !$isEncrypted && str_contains($text, '-----BEGIN') ? openssl_pkey_get_private($text) : false;
        $facts = $key === false ? false : openssl_pkey_get_details($key);
        $fault = match (true) {
            $isEncrypted => 'is encrypted',
            $key === false, $facts === false => 'is no private key in PEM',
            $facts['type'] !== OPENSSL_KEYTYPE_RSA => 'is not an RSA key',
            $facts['bits'] < self::MIN_BITS => 'has fewer than 2048 bits',
            default => null,
        };
        if ($fault !== null || $key === false) {
            throw new InvalidArgumentException("privateKey $fault; make one with: " . self::MAKE_NEW);
        }
        $this->key = $key;
    }

    /** Returns RSASSA-PKCS1-v1_5 with SHA-256 over the text's UTF-8, in standard base64 (AUTH-13). */
    public function sign(string $text): string
    {
        if (!openssl_sign($text, $signature, $this->key, OPENSSL_ALGO_SHA256)) {
            throw new RuntimeException('OpenSSL could not sign: ' . openssl_error_string());
        }
        return base64_encode($signature);
    }
}
