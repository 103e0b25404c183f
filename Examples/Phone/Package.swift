// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "phone",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "tintype", path: "../..")],
    targets: [
        .executableTarget(
            name: "tintype-phone",
            dependencies: [
                .product(name: "TintypeModel", package: "tintype"), .product(name: "TintypeClient", package: "tintype"),
                .product(name: "TintypeStore", package: "tintype"),
            ])
    ]
)
