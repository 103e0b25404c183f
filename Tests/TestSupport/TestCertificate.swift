/// A self-signed certificate of localhost that is valid until 2120, and its key.
package enum TestCertificate: Sendable {
    case first, second

    /// The certificate in PEM.
    package var certificate: String { pair.certificate }
    /// The private key in PEM.
    package var key: String { pair.key }

    private var pair: (certificate: String, key: String) {
        switch self {
        case .first: (Self.firstCertificate, Self.firstKey)
        case .second: (Self.secondCertificate, Self.secondKey)
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
}
