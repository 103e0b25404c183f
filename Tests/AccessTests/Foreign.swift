/// Keys and tokens of other issuers, created with Python's `cryptography` and `joserfc`; for these tests only.
///
/// The tokens are valid at 1795000000 seconds after the epoch, ten seconds after their issue.
enum Foreign {
    /// A set with an RSA key, a key of P-256, and keys that are too weak, of another curve, and for another purpose.
    static let jwks = #"""
        {"keys":[{"n":"uKp5HJ1AoTr_C-zHKxt66jptgmVHZae3BqVSRGmYMfVUF_xvbDLbIKJdXJutZ_ymWj16QuXyCtF1LawR7l2wD\#
        dC6UUcdldrJj_VLqwys8NFlwbPZm4jCirxYmsJlF42RDNd_N3GJVQalKuVxuePqUGczOOlPSj-CuoPphPnA0dxBHZIKFnoWp31RF\#
        lru6NVeS5p-eA5hTqf5AFyrNh5iDQu_Yg6TtLrdsromKvRyXUlO3tWcEwMvKHXov3rYwHfJljwbvPX0PyrOnK5pKyjUzuvfhpuDG\#
        BcMoZa4u5se97x8YVqkV_KMm0Jssu0piZfxUOFjR8J5OTVeY1sHOkOUvQ","e":"AQAB","kty":"RSA","kid":"rsa","use":\#
        "sig","alg":"RS256"},{"crv":"P-256","x":"fO0hK6yUCxOBJ1eLGduiW9hdELU3IFzuXQFl1fpEEwc","y":"3qPrdCCBx\#
        _i9UHxLmeOrJeTpU2LnEZRMnroThBxeA6k","kty":"EC","kid":"ec","use":"sig","alg":"ES256"},{"n":"5zhsfSp8m\#
        CKU21Bs4DjKtW9FRiIjzmcbuVFzJe8Nn38plK1oYvSYo6rZzahEfm3LW2gNR0c08YbUO2nBK5LQxx1D-gi37ASxY69cJzxL29uAD\#
        PiumoAfFCx3O__a2wXbz_Zyc2cLllEFA6A-smKyp952MGmXtMwnFG6uU3Cstb0","e":"AQAB","kty":"RSA","kid":"weak",\#
        "use":"sig","alg":"RS256"},{"crv":"P-384","x":"D00hgB9DDV33ndSqPrydtCH8eZM4QKq5pWxU5yEzMXyiHVxdoV4oF\#
        ouk0U6PiO5v","y":"BEDo0juCIyeicm3vVVn4PH4AoBk7uTm8MBHLcq20hkmGzxYnvehal8IJfzcFPr-5","kty":"EC","kid"\#
        :"p384","use":"sig"},{"n":"uKp5HJ1AoTr_C-zHKxt66jptgmVHZae3BqVSRGmYMfVUF_xvbDLbIKJdXJutZ_ymWj16QuXyC\#
        tF1LawR7l2wDdC6UUcdldrJj_VLqwys8NFlwbPZm4jCirxYmsJlF42RDNd_N3GJVQalKuVxuePqUGczOOlPSj-CuoPphPnA0dxBH\#
        ZIKFnoWp31RFlru6NVeS5p-eA5hTqf5AFyrNh5iDQu_Yg6TtLrdsromKvRyXUlO3tWcEwMvKHXov3rYwHfJljwbvPX0PyrOnK5pK\#
        yjUzuvfhpuDGBcMoZa4u5se97x8YVqkV_KMm0Jssu0piZfxUOFjR8J5OTVeY1sHOkOUvQ","e":"AQAB","kty":"RSA","kid":\#
        "encryption","use":"enc"}]}
        """#
    /// An X.509 certificate with the RSA key.
    static let certificate = #"""
        -----BEGIN CERTIFICATE-----
        MIIClzCCAX+gAwIBAgIBATANBgkqhkiG9w0BAQsFADAPMQ0wCwYDVQQDDAR0ZXN0
        MB4XDTI2MDEwMTAwMDAwMFoXDTI3MDEwMTAwMDAwMFowDzENMAsGA1UEAwwEdGVz
        dDCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBALiqeRydQKE6/wvsxysb
        euo6bYJlR2WntwalUkRpmDH1VBf8b2wy2yCiXVybrWf8plo9ekLl8grRdS2sEe5d
        sA3QulFHHZXayY/1S6sMrPDRZcGz2ZuIwoq8WJrCZReNkQzXfzdxiVUGpSrlcbnj
        6lBnMzjpT0o/grqD6YT5wNHcQR2SChZ6Fqd9URZa7ujVXkuafngOYU6n+QBcqzYe
        Yg0Lv2IOk7S63bK6Jir0cl1JTt7VnBMDLyh16L962MB3yZY8G7z19D8qzpyuaSso
        1M7r34abgxgXDKGWuLubHve8fGFapFfyjJtCbLLtKYmX8VDhY0fCeTk1XmNbBzpD
        lL0CAwEAATANBgkqhkiG9w0BAQsFAAOCAQEANcAyrvqh/Kz0NsjPZgdnYakm/p2s
        dwiM3xYfXwJz1CYXh2kTpPcJ3FXfl0pT5jWCJn45I5jmyStZZhQVxLqyWD3hYVZ+
        gwLw91zxu+qsXsfKwsScNr1heqTdPCQnjNmbZ3WMJxoWfSX7wxxQZuz/8m9omcYl
        0ZQwvFEiaUklZfINwAJaDzujmCZxht3ITbOaJI3Eboe50gZMyn24W8Oh9aVr/+AP
        UBU2IWnClO838iYObUThIjlrrfChlB7MFFqbR2JPLqyhHj0ns76n9BO2cqvSczYZ
        0Vx1TZ/Io+BNDpdj8SvV5fOt0od1Cuj6IP3Zw0t5DEpea6q5PmacD/NbCA==
        -----END CERTIFICATE-----
        """#
    /// The RSA key in PEM.
    static let publicKey = #"""
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAuKp5HJ1AoTr/C+zHKxt6
        6jptgmVHZae3BqVSRGmYMfVUF/xvbDLbIKJdXJutZ/ymWj16QuXyCtF1LawR7l2w
        DdC6UUcdldrJj/VLqwys8NFlwbPZm4jCirxYmsJlF42RDNd/N3GJVQalKuVxuePq
        UGczOOlPSj+CuoPphPnA0dxBHZIKFnoWp31RFlru6NVeS5p+eA5hTqf5AFyrNh5i
        DQu/Yg6TtLrdsromKvRyXUlO3tWcEwMvKHXov3rYwHfJljwbvPX0PyrOnK5pKyjU
        zuvfhpuDGBcMoZa4u5se97x8YVqkV/KMm0Jssu0piZfxUOFjR8J5OTVeY1sHOkOU
        vQIDAQAB
        -----END PUBLIC KEY-----
        """#
    /// The RSA key with its private half.
    static let privateKey = #"""
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC4qnkcnUChOv8L
        7McrG3rqOm2CZUdlp7cGpVJEaZgx9VQX/G9sMtsgol1cm61n/KZaPXpC5fIK0XUt
        rBHuXbAN0LpRRx2V2smP9UurDKzw0WXBs9mbiMKKvFiawmUXjZEM1383cYlVBqUq
        5XG54+pQZzM46U9KP4K6g+mE+cDR3EEdkgoWehanfVEWWu7o1V5Lmn54DmFOp/kA
        XKs2HmINC79iDpO0ut2yuiYq9HJdSU7e1ZwTAy8odei/etjAd8mWPBu89fQ/Ks6c
        rmkrKNTO69+Gm4MYFwyhlri7mx73vHxhWqRX8oybQmyy7SmJl/FQ4WNHwnk5NV5j
        Wwc6Q5S9AgMBAAECggEALEq/J8zT3pgO6mZNUxqRPbLr5zWxjUFP1ek7NSt6lKj6
        FZK3iuUbx9UJvZedXO6tW8GZHIiYqF2a1GyMFHcmLfodZjc/clz6sWutTYaJyG0B
        Ehe4HuULfEk2m0/6/U44NzNM0RiLTvh8DzDfOS3gWo6WK5VSLkXTbjcLgJiC1hKs
        cWYbADTDYSiD/nXFbklpwTJQ0tYcoalV3I+dL2h27NUzINcm73Y49L332GWSeQHN
        Ms+jrQK9yS/FVdl4d9kjE8GqIdmYjILls+mNakc0VG8+uxa2qlhKkeJG4rS/dUuI
        UHEzT+dpSBijkEyX4SRCnWCIKqtWVWCOc2F+MyQWxQKBgQDrDKIriwDtQy6Jt72a
        HYtZQW4zJUtr0MR0eO+v24e/1ZquipukbsYf6f62PgcI9KyFCQwpqvGjFOrYQGUN
        XLC+pitOQ3P5eQUjuuqd23BqJYAhj63/qa9Mux1zoY3JJ8ZeZjBLty/akcbqWbAX
        Hixkp0z5GVBL+s2K6lqwkfjJBwKBgQDJIDAkzDKiOBfHRbNmi3/T+e9JVXt8/sK1
        iQvr2WWn+htBX5AfdB/TzasHEfR7ZTAbwpacPBbomTGMRsFDzaz4Uxa/tF6uaDfn
        hJJxNB8r6un0vsyFnNZhx89DjgwP7aalzpUKObDXy8rT4J8o5g01YA/vdoUNXEJ3
        /r45XWNXGwKBgCncniVTJF8dT/SHHOWNzXugA5hoU/5nuBVmVInld0/bIyli1kV6
        1R5p9ktO0MHvkao/6kKhh1ecKhdJoLW4hGHwBlZx/P25aAjtCUwEAQlmlGNly391
        IRtxV9V4OGBTDSlS2dciUQuEWwDx6EK1xQJIKZVTxNFDYcgT5QL9fGmRAoGBAJza
        nJFmKyr2Qh0oD8SukK+Z4XM41ojiCqoXSpPSRQSe+rieNcFCCDxfzr1B1ICTptRP
        irQn7NnT959l4v3lHru/2SMDIUA1iTvm2Wqt8o2GtJUqZEjjyxIRCWSvGFsnxWrU
        VMnXukJh7joVmSsFV1HELEleDmAgDrqUkngcjAf3AoGBAOYZKl2kHZAzXUBfnny1
        DaJgHUEb69t2WEg+wpSUaWQmHW0Ym04t+rwOIlFll38JZp7J2RjmokI1W+q8sY4O
        Qo6pe6aGfYXQE/9hCuMkkIIvTMcARagovmqdb/A6Yw8quGJ0U5hFqgNqYf8TMajS
        iYpNY2fBtX6n2SkfzmrtpI6f
        -----END PRIVATE KEY-----
        """#
    /// The same, encrypted.
    static let encryptedPrivateKey = #"""
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIFNTBfBgkqhkiG9w0BBQ0wUjAxBgkqhkiG9w0BBQwwJAQQQWnAkLXE8s8+yQ3M
        uDdJeAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEC0XBR5EgFmBZY5+
        YwYZ8BAEggTQJGZOITjj3a8mG0hC+DRaHov9jBAwVO+XoFhJpCqWoTrer7zvz4e4
        8Ujt+141Jmm3HqtjOEX1wi0E31B1MBfea5sB2Ke0qaShY21V8RVqaOPg/VuZrFTr
        TmLoDI9NVuTuviV19QUCbOVkZVIp6BFKi+C9UPafizmryKTrmATNogjaU3YS5HJJ
        77Zz6c8pGbnhp+sW6N0niDKK1//GozGhqGK29WP9yliqYqJ6u/OCRRJuYvWNa+sy
        JYP5J4PV5ZwfgYvHCa8EQ9JnYq+mOsKlWAW58erLzaBX2vlbgRnkzV5cyQ/0A7ZB
        TmRaP/R052yGztvufF9erRi9y0F0LFwQGAcLdSTeA6O2eBGgs5PYZhJX0ofPh/ql
        R9EjeQ02AXAMrJJ9JxDrfKe9QRxN2NUHxodGRp4vHVW0xrXFVZGPCCGMeGal99nz
        ppqLj1YdT272xLa3JicP6tZh7fVFlxaTWPcd5lnVBaN23Bud4DzH/T6ujdsaO9BJ
        lD4E6ADuhUKFTDE3tBMlsIVXWvwStJkuQQAydeBP/HTuQbvhNkWswTmmmxlPiTMm
        9nR3c53AhpOjopflhIRMCio/sTXKyH8hJrP0TlY57aZzwfY0s/IfXifLP6V4n1CL
        PJBnzwdJOCKTU4mWsgaim8UdUKmTUr9/HjbSIzA+AC+LBIFm+zvagtelgEYNbNvf
        8q3puoWQ/OdVDNCBVemuZHQzS0xmCyPGujFdn5iQnFzqDR/Mib3jX6T1ORYanNVN
        m7PF8IZWN9ThEON2sdg3jmLCZ5yXIURj8eaLLuLw2A5vMPocxhzWVxMSx/2s9gYY
        ms7nveJTuDzxwfk+9C1Y5eZE7VVI3U/lIMsF2whzUWWZRe2hp9JNi24CW3O616A9
        HmTehCT5/T1W/bgIkfY2dvMkoVQGK2VG7o0lX1F4aCItp4cugDLMNHvZQBG26aas
        X964hW5QSHFqZJ6RnHDUpAN/dgNDV6Zwduy6fmrX8yzb7JAivX9tcWLWRkg8qfIB
        87KdkA/klUX++4PM/oPnl914B4fzP29l6tfMzKuArqqnv22ntvcp+yC7pkSJUi/q
        5hO2psyQawB7WwGX0/OtHpnMPadY9Q5LtvkYbnO43saE/tJZONFVbH9+dTypImoA
        k5m+jc59j/tDYhtX1rjDLJSvqE35IqzYaRvSVDq5AWJCRKRJ6TxX8CjMQshiyAi7
        J5iy1V02lXrSCwKcnn4R5zpfSKJvnwxFsnHsXty6mTaz8C1fpVeWUB80Wr66Zhye
        /FXXt1grqeJN8+txLQZMhsS8YXScORne3mqjusmPXraccPuLkR2DFwkvYTW3v6Ib
        4RjqGxg02UUbtgfwSCb6aF69e4Tmn3+i8GmKZREmxM09svX73M1A9iX/HTCVACAr
        gpOsRVZWKki0NOpvsLXvtsxuDUuNIMJa84l1EWzqSBMIx2XAbJGPBmuhBPn27xT/
        38ZSqw4oF+bZ2H+QYqhxWj/wFhpCzMminShgxObcwEhWetYXmOW3OiMuRczzjgtQ
        APdmOgECaGmEHd0v92j2mWVgOOTqfI+mwOuaPMFf7jiAg9/24aOI2Pj4AZjET+5/
        kMHSIqaz7xc1xJi3YW3A7tXbr3nFk+FtzLzH1JLYnO82k6MZOR4Jwfg=
        -----END ENCRYPTED PRIVATE KEY-----
        """#
    /// An RSA key of 1024 bits.
    static let weakPrivateKey = #"""
        -----BEGIN PRIVATE KEY-----
        MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAOc4bH0qfJgilNtQ
        bOA4yrVvRUYiI85nG7lRcyXvDZ9/KZStaGL0mKOq2c2oRH5ty1toDUdHNPGG1Dtp
        wSuS0McdQ/oIt+wEsWOvXCc8S9vbgAz4rpqAHxQsdzv/2tsF28/2cnNnC5ZRBQOg
        PrJisqfedjBpl7TMJxRurlNwrLW9AgMBAAECgYBNoAG8G7Fsmd+DqYKD3E0hkFOf
        cgK3XqJOGuwfhhv6ugRJp9XtstQzzj4E70LfdxjYfRxIG73IgE1sDNsPN+Di9LCK
        GMtrXUVBaB38B21eqyIUnLedaTIcwBOYlR2fg4HaH8opIbOEBosS0InwHkqVy8QV
        caksdiiQoz2E4vUGgQJBAPVyiVv1JccH7TiWoinTOW45dRy3oar1Nf+t/Zvi/P9B
        c0uFTsJMSjLLcj4wLG88YMHgVrZH89i3Uzo7yiKWpnECQQDxKU0CPUrUK0gXybrn
        Z4GWD3fUYDk2iIiJchZtNEsyxymF5kSAq5ceWgmyVOLMUAsLzwMgBk9r34+MMvWl
        v2INAkArE7UDzJyat8tseRNw379elvr01U2sYWjevLyb1VStv+DqSjUuaJFFJOuh
        +nZx91jL7gGJ8ErdqB8VQ1UQiPwhAkEA3EVxBV6efnSaAMBNaxdrkXjHZsANAfZr
        X79JJK3jEZpAHwFYCH6yJRLwUGagUSW7MSoAHLwmxs0H/HJ/VMkd8QJBAJH3rW5F
        5/uldhrhRSDkF5nLBVho8H33q+ZpvAu0oRsLGW16RXB+3nyBeXK/Y//CRE8xFCfM
        Yqqld7LMaGNdGx8=
        -----END PRIVATE KEY-----
        """#
    /// A token of the Firebase project demo.
    static let firebase = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJpc3MiOiJodHRwczovL3NlY3VyZXRva2VuLmdvb2dsZS5\#
        jb20vZGVtbyIsImF1ZCI6ImRlbW8iLCJzdWIiOiJhZGEiLCJ1c2VyX2lkIjoiYWRhIiwiaWF0IjoxNzk0OTk5OTkwLCJhdXRoX3R\#
        pbWUiOjE3OTQ5OTk5ODAsImV4cCI6MTc5NTAwMzU5MCwiZmlyZWJhc2UiOnsiaWRlbnRpdGllcyI6e30sInNpZ25faW5fcHJvdml\#
        kZXIiOiJwYXNzd29yZCJ9fQ.D8E5oJA4lqspGpWmK2YkVx2uG_sPUc_xLt6MQ8e2VUNJ9KNaWfy5jOKQykmjBi6l2QpDO9W0VRDs\#
        -GAvClNpe-vjftfOA3fwGxoxku58kIlXeqjZe5l9us5SXNwq8KjGkGZSimwi5b5phXBCOYqGZJjuUMu5EOfwHGJ2JgAMSGJDRgg1\#
        3kIHN_GYnaeZJhl7MeGC4IiMyyorQ0aj2JcEDNrr5UfoOPSh98f2pMSUY6pojTB0voZqYLhcGbdQzSln7L_da_90x44F69A1CcBo\#
        uczuSZ5rjtI3_sC3on8aJ26n7DMT-t3HBg9HKWAHquONKOzs2hyGM26IW8bEhesWsg
        """#
    /// An OpenID Connect token, signed by the RSA key.
    static let oidcRS256 = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYSJ9.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXV\#
        kIjpbInBob3RvcyIsIm90aGVyIl0sImF6cCI6InBob3RvcyIsInN1YiI6IjAwMS5hYi9jIiwiaWF0IjoxNzk0OTk5OTkwLCJleHA\#
        iOjE3OTUwMDA1OTAsImVtYWlsIjoiYUBleGFtcGxlLmNvbSJ9.ExrrQKcZHY_WvPNWsbbETdspddp6btzXIZRW7kwPzUAeddyvU9\#
        fmPrxGQyjSLDgj7CaDop3dFJ_jD1wOSx60U2IbDWQI_frCI7fyHxCHlcJopl-hUSsqXcbRGyx0-TlYhdBh27jhjwXO0zCVCCkO0G\#
        ab7uidIxESqWHcU3cDGfIGxyvc1cWnQW_L1fXzPam6Qswg2HHGMB-KvvQHYEP4fG5mL_sOT5HVCRFffQ4ISNr7DpDmwDDaRR0YDw\#
        U9VzII6stDvybgE5uYwDML4_HnPuEvI3xobVkk2tdO1iK4ob6I2G9mX4U4ECslriharYHAj-OBmDgdf3Tg0wrPm4PKVQ
        """#
    /// The same, signed by the key of P-256.
    static let oidcES256 = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiIsImtpZCI6ImVjIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiYXVk\#
        IjpbInBob3RvcyIsIm90aGVyIl0sImF6cCI6InBob3RvcyIsInN1YiI6IjAwMS5hYi9jIiwiaWF0IjoxNzk0OTk5OTkwLCJleHAi\#
        OjE3OTUwMDA1OTAsImVtYWlsIjoiYUBleGFtcGxlLmNvbSJ9.aRKCKl4SGAS_7S_we2mVGKunWdsWH4SWr4jPG7AOdpfWrhNFOqZ\#
        kK2q1EAbvgyI9NWsSgNRxUJAiYWBij3Zg8w
        """#
    /// The same, signed by the key that is too weak.
    static let weak = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6IndlYWsifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY29tIiwiY\#
        XVkIjpbInBob3RvcyIsIm90aGVyIl0sImF6cCI6InBob3RvcyIsInN1YiI6IjAwMS5hYi9jIiwiaWF0IjoxNzk0OTk5OTkwLCJle\#
        HAiOjE3OTUwMDA1OTAsImVtYWlsIjoiYUBleGFtcGxlLmNvbSJ9.n0FDMu9GNrwTKr69SBlZOriW3vgnIf4d7dDqEjsRMZkI9qm6\#
        IPmgN_JcgrA3Gy7KHpyVjXQ2Svv3kbIbjItvSE99q-2HRp9shEsrHTOClvxrh8F8cIeo_MZ6UAW00jySuGOtlI8G0Mq7JKi3X3F7\#
        1q_BFQJNhz34cCuX8vGVrTU
        """#
    /// The same, signed by the key for another purpose.
    static let encryption = #"""
        eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6ImVuY3J5cHRpb24ifQ.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUuY\#
        29tIiwiYXVkIjpbInBob3RvcyIsIm90aGVyIl0sImF6cCI6InBob3RvcyIsInN1YiI6IjAwMS5hYi9jIiwiaWF0IjoxNzk0OTk5O\#
        TkwLCJleHAiOjE3OTUwMDA1OTAsImVtYWlsIjoiYUBleGFtcGxlLmNvbSJ9.AQLTFddCHTntrOUaljYvKlISg0fpt_UmS604IL17\#
        Sd6yhCTNLg2bWHE7doQLYBl4ORxOPVTJoC6aGQpfhTSJGSBvEKV5s8lhzi8PVdgsKyARFvD8w60FMY_AmDI84sQ7M9QRL1r8af6Q\#
        hJNsFW14seZEyLfImpAZjuPLB4Y6swm-y5Z8oXeMH3Km1qFvdqpAPQf-z3bEzIuccEEFf5Hw3Tr0Whsv4slBjUgiwQ2h4uHfBFP6\#
        4ntp7hX7N7O8q-0ccVDqZeDyNXR28Yau6jv448YikuKDYd8mldT9fl95GX2ECA7UlexbWnQvYBMg1gQMJLsmsL9Iv5Rld1vHnjbJ\#
        pw
        """#
}
