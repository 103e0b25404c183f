import NIOSSL

/// A certificate for localhost without a trusted authority, created with openssl for these tests only.
enum SelfSigned {
    /// The configuration of a server with the certificate.
    static var server: TLSConfiguration {
        get throws {
            TLSConfiguration.makeServerConfiguration(
                certificateChain: [.certificate(try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem))],
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        }
    }

    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxL9Z0In8pDPoI5CX
        PgQF4TYRwbn10f/K7EDw4HXDGG6hRANCAASDFriP1Nv1YBV2EmrewipivtVzo2b3
        lOcDJX5nuXvjtQfkMLxn4q1U4kDVBt4UWDMBpPlOoeJnU9asEF3nicpk
        -----END PRIVATE KEY-----
        """
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBnDCCAUGgAwIBAgIUcv8jwS024PD7QTHvV7U/+3qv2XswCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMzA2MjU1N1oYDzIxMjYxMDMw
        MDYyNTU3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAASDFriP1Nv1YBV2EmrewipivtVzo2b3lOcDJX5nuXvjtQfkMLxn4q1U
        4kDVBt4UWDMBpPlOoeJnU9asEF3nicpko28wbTAdBgNVHQ4EFgQUt8jH8qMN7X4k
        5CDDPSbSR8+OpCMwHwYDVR0jBBgwFoAUt8jH8qMN7X4k5CDDPSbSR8+OpCMwDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSQAwRgIhANYWNKORRCv85eYM3e9ybL8yjrmH5G7ALBUg4ivNNbdkAiEA
        /ukte46KOMPVx0tUN1+CUra6NEf9pizuRllNMwEw64A=
        -----END CERTIFICATE-----
        """
}
