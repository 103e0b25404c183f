// swift-tools-version: 6.2
// Targets in the order in which a photo meets them, bottom up: see Documentation/Architecture.md.

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "tintype",
    platforms: [.macOS(.v15)],
    products: [],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: ["JSON"]),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-system.git", from: "1.8.0"),
    ],
    targets: [
        // Beside the pipeline: what the distribution provides.
        .systemLibrary(
            name: "CSystemCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
        .target(name: "CPlatform", cSettings: [.define("_GNU_SOURCE")]),

        .target(name: "Blobs", dependencies: ["CPlatform", "CSystemCrypto"], swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["Blobs"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "BlobsTests", dependencies: ["Blobs", "TestSupport"], swiftSettings: settings),
    ]
)
