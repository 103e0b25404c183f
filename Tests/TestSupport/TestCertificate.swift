/// A self-signed certificate that is valid for about a century, and its key: two of localhost and 127.0.0.1, and one of another
/// machine.
package enum TestCertificate: Sendable {
    case first, second, elsewhere

    /// The certificate in PEM.
    package var certificate: String { pair.certificate }
    /// The private key in PEM.
    package var key: String { pair.key }

    private var pair: (certificate: String, key: String) {
        switch self {
        case .first: (Self.firstCertificate, Self.firstKey)
        case .second: (Self.secondCertificate, Self.secondKey)
        case .elsewhere: (Self.elsewhereCertificate, Self.elsewhereKey)
        }
    }

    private static let firstCertificate = #"""
        -----BEGIN CERTIFICATE-----
        MIIBUjCB+aADAgECAhQpPwSJggdEzTz0xpLrOzOeB5C40jAKBggqhkjOPQQDAjAQ
        MQ4wDAYDVQQDDAVmaXJzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAw
        MFowEDEOMAwGA1UEAwwFZmlyc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT+
        nhKIwSy8GMW9FOLJTcfvicfdvzXoGHP15KZtuP78uYfhnp4GDQhmRvGd9BHK/nHm
        WLRMkfwB/FjBwLYO/CQgoy8wLTAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGC
        CWxvY2FsaG9zdIcEfwAAATAKBggqhkjOPQQDAgNIADBFAiAyDUsIqIH+dTf1xTrM
        YWhy8yoDgbjDOO5/hnrvoH7elwIhALVrTqEjF0aNR29z8uspjAIzxBSoAL5A2rZ8
        xdd2V/Ri
        -----END CERTIFICATE-----
        """#

    private static let firstKey = #"""
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgPgUxvP7wSsv9KS4k
        xmGuFXyYdoVHej7S17qDiMxNYxihRANCAAT+nhKIwSy8GMW9FOLJTcfvicfdvzXo
        GHP15KZtuP78uYfhnp4GDQhmRvGd9BHK/nHmWLRMkfwB/FjBwLYO/CQg
        -----END PRIVATE KEY-----
        """#

    private static let secondCertificate = #"""
        -----BEGIN CERTIFICATE-----
        MIIBVDCB+6ADAgECAhQq8ZWQAbMFjUBv16UGEcPN4YwfgDAKBggqhkjOPQQDAjAR
        MQ8wDQYDVQQDDAZzZWNvbmQwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAw
        MDBaMBExDzANBgNVBAMMBnNlY29uZDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IA
        BE3ua7ANcuS2pApXHptyMuIwmWmu9at/U920WfSwEbHNAptp10b4SP3QCxqIbC4N
        Rk3nSD3PiJ+7GBn7/Apfr16jLzAtMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMw
        EYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMCA0gAMEUCIHC8Yr9FvXvocgXd
        4+Ja2Wfgh+gCRUyT7BrCk9sf7Bd+AiEA/YZth011GKtE1RaaIc9tjDjJTOy0gphN
        50hSMYvHODk=
        -----END CERTIFICATE-----
        """#

    private static let secondKey = #"""
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAFO7WIgVsE2IdRkx
        80gM6nCWr5j2O7fEjbvg9KMw/M+hRANCAARN7muwDXLktqQKVx6bcjLiMJlprvWr
        f1PdtFn0sBGxzQKbaddG+Ej90AsaiGwuDUZN50g9z4ifuxgZ+/wKX69e
        -----END PRIVATE KEY-----
        """#

    private static let elsewhereCertificate = #"""
        -----BEGIN CERTIFICATE-----
        MIIBnDCCAUOgAwIBAgIUIsmBVrAt2y2Mq4hys+KvaReQYTcwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJZWxzZXdoZXJlMCAXDTI2MTEzMDA0NDAyNFoYDzIxMjYxMTA2
        MDQ0MDI0WjAUMRIwEAYDVQQDDAllbHNld2hlcmUwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAATToVdI3nHGsZeD8yrS4R9NmI1uA4eTMBa9+GoIHTKZwyzJ1IaztYE2
        mEIuYvGcBWEfV3XH45eSI0UkAyaQcYHto3EwbzAdBgNVHQ4EFgQUWV0hgamR+R7P
        0UoECbAW360TolwwHwYDVR0jBBgwFoAUWV0hgamR+R7P0UoECbAW360TolwwDwYD
        VR0TAQH/BAUwAwEB/zAcBgNVHREEFTATghFlbHNld2hlcmUuZXhhbXBsZTAKBggq
        hkjOPQQDAgNHADBEAiB8y3Hfsk2kNGvtkW2y1cFQOm8epZjx80vEQFSfJdYuIgIg
        LEtMwq7CIXJRo92BQikZzdEGBu0SbymP+fa4Hj7dEWI=
        -----END CERTIFICATE-----
        """#

    private static let elsewhereKey = #"""
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgqxAzgWPIsu4IxrWk
        hQ46JZzhHuGd1i5LIVbckxbLTsGhRANCAATToVdI3nHGsZeD8yrS4R9NmI1uA4eT
        MBa9+GoIHTKZwyzJ1IaztYE2mEIuYvGcBWEfV3XH45eSI0UkAyaQcYHt
        -----END PRIVATE KEY-----
        """#
}
