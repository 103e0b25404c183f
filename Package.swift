// swift-tools-version: 6.2
// For Linux; the products for apps (Tintype…) also for Apple's platforms. The targets are listed bottom up, in the order
// in which a photo passes through them: see Documentation/Architecture.md.

import PackageDescription

let package = Package(
    name: "tintype",
    // Of the products for apps. An app's build does not contain the other targets, nor the packages that they need.
    platforms: [.iOS(.v16), .macOS(.v13)],
    products: [
        .executable(name: "tintype", targets: ["tintype"]),
        .library(name: "Thumbnails", targets: ["Thumbnails"]),
        .library(name: "RealtimeDatabase", targets: ["RealtimeDatabase"]),
        .library(name: "Imaging", targets: ["Imaging"]),
        .library(name: "Isolation", targets: ["Isolation"]),
        .library(name: "TreeModel", targets: ["TreeModel"]),
        .library(name: "Rules", targets: ["Rules"]),
        .library(name: "Tree", targets: ["Tree"]),
        .library(name: "Metering", targets: ["Metering"]),
        .library(name: "TintypeModel", targets: ["TintypeModel"]),
        .library(name: "TintypeClient", targets: ["TintypeClient"]),
        .library(name: "TintypeStore", targets: ["TintypeStore"]),
        .library(name: "TintypeTestSupport", targets: ["TintypeTestSupport"]),
        .library(name: "TintypeUI", targets: ["TintypeUI"]),
        // For Tests/Fuzzing only: its targets all belong to this package.
        .library(name: "Server", targets: ["Server"]),
    ],
    // Codecs that a build may do without: `swift build --traits WebP`, or `--disable-default-traits`.
    traits: [
        .default(enabledTraits: ["WebP", "HEIF", "AVIF", "AVCodec"]),
        .trait(name: "WebP", description: "Reads and writes WebP, by libwebp."),
        .trait(name: "HEIF", description: "Reads HEIC and AVIF, by libde265 and libdav1d."),
        .trait(name: "AVIF", description: "Writes AVIF, by libaom."),
        .trait(
            name: "AVCodec", description: "Reads HEIC by libavcodec, if installed, which is faster.",
            enabledTraits: ["HEIF"]),
    ],
    // Exact versions, because Package.resolved is not in the repository: see Documentation/Contributing.md.
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1", traits: []),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", exact: "2.1.1"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
    ],
    targets: [
        // Libraries of the distribution that Swift calls. Libraries that only C calls are linked by CCodecs.
        .systemLibrary(
            name: "CSystemDeflate", pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"])]),
        .systemLibrary(name: "CSystemSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSystemCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        // C wrappers: return codes for libraries that use longjmp, and calls that the Glibc module hides.
        .target(
            name: "CCodecs",
            cSettings: [
                .define("CCODECS_WEBP", .when(traits: ["WebP"])), .define("CCODECS_HEIF", .when(traits: ["HEIF"])),
                .define("CCODECS_AVIF", .when(traits: ["AVIF"])),
                .define("CCODECS_AVCODEC", .when(traits: ["AVCodec"])),
            ],
            // Without libavcodec, which is loaded at run time by the process that decodes a HEIC.
            linkerSettings: [
                .linkedLibrary("jpeg"), .linkedLibrary("png"), .linkedLibrary("gif"), .linkedLibrary("lcms2"),
                .linkedLibrary("z"), .linkedLibrary("deflate"),
                .linkedLibrary("webp", .when(traits: ["WebP"])), .linkedLibrary("webpmux", .when(traits: ["WebP"])),
                .linkedLibrary("de265", .when(traits: ["HEIF"])), .linkedLibrary("dav1d", .when(traits: ["HEIF"])),
                .linkedLibrary("aom", .when(traits: ["AVIF"])),
            ]),
        .target(name: "CKernels"),
        .target(name: "CSHA256"),
        .target(name: "CPlatform", cSettings: [.define("_GNU_SOURCE")]),
        .target(name: "CSandbox", cSettings: [.define("_GNU_SOURCE")]),

        // Points between any two steps at which a test can end the process.
        .target(name: "Failpoints"),

        // Limits, locks and queues for tasks, independent of the work that the tasks do.
        .target(
            name: "Concurrency", dependencies: [.product(name: "DequeModule", package: "swift-collections")]),

        // Counters and timers of a service, as text for Prometheus, independent of the service.
        .target(name: "Metering", dependencies: [.product(name: "CoreMetrics", package: "swift-metrics")]),

        // Digests, keys, secrets and their text forms, with OpenSSL's libcrypto.
        .target(name: "Cryptography", dependencies: ["CSHA256", "CSystemCrypto"]),

        // The values of the tree, without a store: the part that clients share with it.
        .target(name: "TreeModel"),

        // The language of security rules: evaluates who may do what on any data.
        .target(name: "Rules", dependencies: ["TreeModel"]),

        // Three products that are independent of each other.
        .target(name: "Imaging", dependencies: ["CCodecs", "CKernels"], swiftSettings: [.strictMemorySafety()]),
        .target(
            name: "Files",
            dependencies: [
                "Failpoints", "Cryptography", "CPlatform", "CSystemCrypto", "CSystemDeflate",
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        .target(
            name: "Tree",
            dependencies: [
                "Concurrency", "Metering", "Rules", "TreeModel", "Failpoints", "CSystemCrypto", "CSystemDeflate",
                "CSystemSQLite",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
            ]),

        // Rendering in isolated processes.
        .target(
            name: "Isolation",
            dependencies: [
                "Imaging", "CSandbox", "Metering", .product(name: "CoreMetrics", package: "swift-metrics"),
            ]),

        // A product: rendering in this process or in others.
        .target(name: "Thumbnails", dependencies: ["Imaging", "Isolation"]),

        // The identity of requesters.
        .target(name: "Access", dependencies: ["Cryptography", "TreeModel"]),
        // The service's own accounts, in the form of Firebase's identity endpoints, without HTTP.
        .target(
            name: "Accounts",
            dependencies: [
                "Cryptography", "Access", "Concurrency", "Model", "Tree", "TreeModel",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),
        // Requests to other machines and to programs of the operator's.
        .target(
            name: "Outgoing",
            dependencies: [
                "Cryptography", "Access", "Accounts", "CPlatform", "Files",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        // The documents of the photo API for programs.
        .target(name: "API", dependencies: ["TreeModel"]),

        // The tree as a Realtime Database, without a wire protocol.
        .target(
            name: "Database",
            dependencies: [
                "Access", "API", "Concurrency", "Files", "Tree", "TreeModel",
                .product(name: "Logging", package: "swift-log"),
            ]),

        // The model of a post, and the steps by which a photo becomes one.
        .target(name: "Model", dependencies: ["TreeModel", "Tree"]),
        // The storage of all data: the tree and the files of posts, in a folder with one lock.
        .target(
            name: "Store",
            dependencies: [
                "API", "Concurrency", "Files", "Metering", "Model", "Tree", "TreeModel",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // People and their relations to each other's posts: follows, feeds, likes, comments, notifications.
        .target(
            name: "Social",
            dependencies: [
                "Cryptography", "API", "Access", "Concurrency", "Model", "Tree", "TreeModel",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // From photos to posts: records, renditions, sessions, the bucket.
        .target(
            name: "Uploads",
            dependencies: [
                "Access", "API", "Concurrency", "Cryptography", "Failpoints", "Files", "Imaging", "Isolation",
                "Metering", "Model", "Social", "Store", "Tree", "TreeModel",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // Work on existing posts: jobs, originals, store checks, moderation, sweeping.
        .target(
            name: "Keeping",
            dependencies: [
                "Access", "API", "Concurrency", "Cryptography", "Files", "Imaging", "Model", "Social", "Store", "Tree",
                "TreeModel", "Uploads",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // The inbox, one of the ways in.
        .target(
            name: "Inbox",
            dependencies: [
                "API", "Concurrency",
                "Imaging", "Keeping", "Uploads", "Store", "Files", "Model", "Social", "Tree", "TreeModel",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "HeapModule", package: "swift-collections"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),

        // Copies of the store: backup and restore.
        .target(
            name: "Backup",
            dependencies: [
                "Cryptography", "API", "Store", "Concurrency", "Files", "Keeping", "Uploads", "Model",
                "Tree", "TreeModel",
            ]),

        // HTTP independent of any application, bottom up: connections, then requests.
        .target(
            name: "Transport",
            dependencies: [
                "API", "Access", "Concurrency", "Tree", "TreeModel",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "Requests",
            dependencies: [
                "API", "Access", "Concurrency", "Cryptography", "Failpoints", "Files", "Transport", "Tree", "TreeModel",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // The wire protocols of the Realtime Database: REST, event streams, WebSocket.
        .target(
            name: "DatabaseHTTP",
            dependencies: [
                "API", "Access", "Cryptography", "Database", "Files", "Metering", "Requests", "Transport", "Tree",
                "TreeModel",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]),
        // A product: the Realtime Database as a server of its own.
        .target(
            name: "RealtimeDatabase",
            dependencies: [
                "API", "Access", "Cryptography", "Database", "DatabaseHTTP", "Files", "Requests", "Transport", "Tree",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),
        // The photo API, accounts, the bucket, operations.
        .target(
            name: "Server",
            dependencies: [
                "API", "Access", "Accounts", "Backup", "Concurrency", "Cryptography", "Database", "DatabaseHTTP",
                "Files",
                "Imaging", "Keeping", "Metering", "Model", "Requests", "Rules", "Social", "Store", "Transport", "Tree",
                "TreeModel",
                "Uploads",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // The files of the web pages, as bytes in the binary.
        .target(name: "CPage", exclude: ["Files"]),
        // The web pages.
        .target(
            name: "Gallery",
            dependencies: [
                "API", "Access", "CPage", "Cryptography", "Database", "Files", "Keeping", "Model", "Requests", "Server",
                "Social",
                "Transport", "Tree", "TreeModel",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),

        // The whole service, put together from its parts.
        .target(
            name: "Service",
            dependencies: [
                "API", "Access", "Accounts", "Backup", "CPlatform", "Concurrency", "Database", "DatabaseHTTP",
                "Failpoints",
                "Files",
                "Gallery", "Imaging", "Inbox", "Keeping", "Metering", "Outgoing", "Model", "Requests", "Server",
                "Social", "Store",
                "Transport", "Tree", "TreeModel", "Uploads",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),

        // The client of the service, for the command line and the tests.
        .target(
            name: "Client",
            dependencies: [
                "API",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]),

        // The data of the service for apps, without any other part of this package.
        .target(name: "TintypeModel"),
        // The requests of an app to the service.
        .target(name: "TintypeClient", dependencies: ["TintypeModel"]),
        // The data of a person on a device, which are there without a network.
        .target(
            name: "TintypeStore",
            dependencies: [
                "TintypeClient", "TintypeModel", .target(name: "CSystemSQLite", condition: .when(platforms: [.linux])),
            ]),
        // Stand-ins for the service, the clock and the network, for an app's tests and previews.
        .target(name: "TintypeTestSupport", dependencies: ["TintypeClient", "TintypeModel"]),
        // Views of SwiftUI; an empty module where there is none.
        .target(name: "TintypeUI", dependencies: ["TintypeClient", "TintypeModel", "TintypeStore"]),

        .executableTarget(
            name: "tintype",
            dependencies: [
                "Service",
                "Store", "Cryptography", "API", "Concurrency",
                "Access", "Accounts", "Backup", "CPlatform", "Database", "Inbox", "Outgoing", "Requests", "Server",
                "Transport",
                "Client",
                "Keeping", "Uploads", "Isolation", "Imaging", "Files", "Model", "Rules", "Social", "Tree",
                "Failpoints",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),

        // The tests, one target for each target of the package.
        .target(
            name: "TestSupport",
            dependencies: [
                "Service",
                "API",
                "Store", "Client", "Concurrency", "Files", "Inbox", "Isolation", "Keeping", "Uploads",
                "Model", "Tree", "TreeModel",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/TestSupport"),
        .testTarget(name: "ImagingTests", dependencies: ["Imaging", "CKernels", "CSystemCrypto", "TestSupport"]),
        // A render worker that does what a compromised decoder might do.
        .executableTarget(name: "RogueWorker", dependencies: ["Imaging", "Isolation"], path: "Tests/RogueWorker"),
        // The generator of large stores for measurements.
        .executableTarget(
            name: "StoreMaker",
            dependencies: [
                "Service",
                "API", "Store", "Files", "Imaging", "Inbox", "Keeping", "Uploads", "Model", "Tree",
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
            ], path: "Tests/StoreMaker"),
        // A device with the client's store as a process of its own, for Scripts/test-offline.
        .executableTarget(
            name: "Device", dependencies: ["TintypeClient", "TintypeModel", "TintypeStore", "TintypeTestSupport"],
            path: "Tests/Device"),
        .testTarget(
            name: "IsolationTests", dependencies: ["Isolation", "Imaging", "Metering", "RogueWorker", "TestSupport"]),
        .testTarget(
            name: "MeteringTests",
            dependencies: ["Metering", "TestSupport", .product(name: "CoreMetrics", package: "swift-metrics")]),
        .testTarget(name: "ConcurrencyTests", dependencies: ["Concurrency", "TestSupport"]),
        .testTarget(name: "CryptographyTests", dependencies: ["CSHA256", "CSystemCrypto", "Cryptography"]),
        .testTarget(name: "FailpointsTests", dependencies: ["Failpoints"]),
        .testTarget(name: "FilesTests", dependencies: ["Cryptography", "Files", "TestSupport"]),
        .testTarget(name: "StoreTests", dependencies: ["Files", "Store", "TestSupport"]),
        .testTarget(name: "AccessTests", dependencies: ["Cryptography", "Access", "TreeModel"]),
        // An authenticator for passkeys in software.
        .target(name: "PasskeySupport", dependencies: ["CSystemCrypto", "TreeModel"], path: "Tests/PasskeySupport"),
        .testTarget(
            name: "AccountsTests",
            dependencies: [
                "Cryptography", "Access", "Accounts", "Model", "Tree", "TreeModel", "PasskeySupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "OutgoingTests",
            dependencies: [
                "Cryptography", "Access", "Accounts", "Files", "Outgoing", "TreeModel", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .testTarget(name: "APITests", dependencies: ["API", "TreeModel"]),
        .testTarget(name: "TintypeModelTests", dependencies: ["API", "TintypeModel", "TreeModel"]),
        // The built service as a process, for the tests of the targets for apps, which contain nothing of the service.
        .target(name: "DaemonSupport", path: "Tests/DaemonSupport"),
        .testTarget(
            name: "TintypeStoreTests",
            dependencies: ["DaemonSupport", "TintypeClient", "TintypeModel", "TintypeStore", "TintypeTestSupport"]),
        .testTarget(
            name: "TintypeClientTests",
            dependencies: ["DaemonSupport", "TintypeClient", "TintypeModel", "TintypeTestSupport"]),
        .testTarget(name: "RulesTests", dependencies: ["Rules", "TreeModel", "TestSupport"]),
        .testTarget(
            name: "TreeTests",
            dependencies: ["Concurrency", "Metering", "Tree", "TreeModel", "CSystemSQLite", "TestSupport"]),
        .testTarget(name: "ModelTests", dependencies: ["API", "Model", "Rules", "Tree", "TreeModel", "TestSupport"]),
        .testTarget(
            name: "SocialTests",
            dependencies: [
                "Access", "API", "Model", "Social", "Tree", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "DatabaseTests",
            dependencies: [
                "API", "Access", "Database", "Files", "Model", "Tree", "TestSupport",
            ]),
        .testTarget(
            name: "PipelineTests",
            dependencies: [
                "Service",
                "Cryptography", "API",
                "Access", "Concurrency", "Inbox", "Keeping", "Uploads", "Store", "Files", "Imaging",
                "Isolation", "Metering", "Model",
                "RogueWorker", "Tree",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "InboxTests",
            dependencies: [
                "Service",
                "API",
                "Access", "Inbox", "Keeping", "Uploads", "Store", "Files", "Imaging", "Model", "Tree",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]),
        .testTarget(
            name: "BackupTests",
            dependencies: [
                "Service",
                "Cryptography", "API", "Backup", "Store", "Files", "Keeping", "Uploads", "Model", "Social",
                "Tree", "TestSupport",
            ]),
        .testTarget(
            name: "RealtimeDatabaseTests",
            dependencies: [
                "Client", "Cryptography", "RealtimeDatabase", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "ServerTests",
            dependencies: [
                "Cryptography", "API", "Backup", "Metering",
                "Access", "Accounts", "Database", "DatabaseHTTP", "Gallery", "Requests", "Rules", "Server", "Transport",
                "Client", "Concurrency", "Inbox", "Keeping", "Outgoing", "Service",
                "Uploads", "Imaging", "Store",
                "Files", "Model",
                "TintypeModel", "Tree", "PasskeySupport", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        // Tests that run the built binary like a user.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Service",
                "Cryptography", "API",
                "tintype", "Access", "Client", "Keeping", "Uploads", "Store", "Files", "Model", "Tree",
                "TreeModel",
                "DaemonSupport", "TestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationEssentialsCompat", package: "swift-nio"),
            ]),
    ]
)

// These settings have no effect on C targets.
for target in package.targets where target.type != .system {
    target.swiftSettings =
        [
            .enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        ] + (target.swiftSettings ?? [])
}

// Code that answers requests once is compiled for size: no measurement depends on its speed, and it is a sixth smaller. None of it
// is in a library for other packages, which could not use a version with such a flag.
let compiledForSize: Set = ["Accounts", "Backup", "Gallery", "Server", "Service", "Social"]
for target in package.targets where compiledForSize.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-Osize"], .when(configuration: .release)))
}

// The commands start the work of other targets, and spend no time of their own. They are compiled without optimisation, which takes
// half the time.
for target in package.targets where target.name == "tintype" {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}

// Tests are compiled without optimisation even if the tested code is optimised, which halves the time of such a build.
// Imaging's tests are optimised, because they compute as much as the code that they test.
for target in package.targets where target.type == .test && target.name != "ImagingTests" {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"], .when(configuration: .release)))
}
