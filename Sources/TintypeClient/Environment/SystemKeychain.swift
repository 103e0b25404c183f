#if canImport(Security)
    public import Foundation
    internal import Security

    /// The keychain of Apple's systems. Its secrets can be read from the first unlock after a start on, also in the background.
    public struct SystemKeychain: Keychain {
        private let service: String

        /// Creates a keychain.
        ///
        /// - Parameter service: The name under which the app keeps its secrets, such as its bundle identifier.
        public init(service: String) { self.service = service }

        /// Returns a secret; nil for none.
        ///
        /// - Throws: `KeychainError`.
        @concurrent public func secret(named name: String) async throws -> Data? {
            var query = query(name)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            try check(status)
            return result as? Data
        }

        /// Stores a secret, or removes it with nil. It is durable when this returns.
        ///
        /// - Throws: `KeychainError`.
        @concurrent public func setSecret(_ secret: Data?, named name: String) async throws {
            guard let secret else {
                let status = SecItemDelete(query(name) as CFDictionary)
                if status != errSecItemNotFound { try check(status) }
                return
            }
            let values: [CFString: Any] = [
                kSecValueData: secret, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
            ]
            let status = SecItemUpdate(query(name) as CFDictionary, values as CFDictionary)
            guard status == errSecItemNotFound else { return try check(status) }
            try check(SecItemAdd(query(name).merging(values) { $1 } as CFDictionary, nil))
        }

        private func query(_ name: String) -> [CFString: Any] {
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: name,
                kSecUseDataProtectionKeychain: true,
            ]
        }

        private func check(_ status: OSStatus) throws {
            guard status != errSecSuccess else { return }
            let text = SecCopyErrorMessageString(status, nil) as String?
            throw KeychainError("\(status) \(text ?? "")")
        }
    }
#endif
