<?php

const TOLERANCE_SECONDS = 300;

/** Returns true if the delivery was signed with the secret at most five minutes ago. Header names are lower case. */
function is_genuine(string $body, array $headers, string $secret, ?int $now = null): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if (!ctype_digit($timestamp) || abs(($now ?? time()) - (int) $timestamp) > TOLERANCE_SECONDS) {
        return false;
    }
    $own = 'sha256=' . hash_hmac('sha256', $body, $secret);
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $standard = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    return includes(explode(',', $headers['x-service-signature'] ?? ''), $own)
        && includes(explode(' ', $headers['webhook-signature'] ?? ''), $standard);
}

/** Returns true if one of the signatures is the expected one. Compares in constant time. */
function includes(array $signatures, string $expected): bool
{
    foreach ($signatures as $signature) {
        if (hash_equals($expected, trim($signature))) {
            return true;
        }
    }
    return false;
}
