package dev.cutpurse.sdk;

import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.TlsChannelCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.stub.MetadataUtils;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is needed to dial in: options first, then the environment.
 *
 * @param address host:port or unix:/path
 * @param token shown to the service as bearer token; never logged
 * @param ca the file with the service's certificate authority, or null: then the connection must stay on this machine
 * @param seed makes {@link Decision#random()} repeatable; null: different in every process
 */
record Settings(String address, String token, Path ca, String seed) {
    /** What the service may send in one frame: one of many views may be larger than gRPC's 4 MiB. */
    private static final int FRAME_BYTES_READ_MAX = 64 * 1024 * 1024;

    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[0-9A-Fa-f:.]+\\]|[^\\[\\]:/@\\s]+):([0-9]{1,5})");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.[0-9]{1,3}){3}|\\[::1\\]");
    private static final String UNIX = "unix:";

    /** Takes what is given (null: not given), and the rest from the environment. */
    static Settings resolve(String address, String token, String ca, String seed, UnaryOperator<String> environment) {
        address = either(address, environment.apply("CUTPURSE_ADDRESS"));
        token = either(token, environment.apply("CUTPURSE_TOKEN"));
        ca = either(ca, environment.apply("CUTPURSE_CA"));
        seed = either(seed, environment.apply("CUTPURSE_SEED"));
        if (address == null) {
            throw invalid("no address: call address(…) or set CUTPURSE_ADDRESS to host:port or unix:/path");
        }
        if (token == null) {
            throw invalid("no token: call token(…) or set CUTPURSE_TOKEN to the text that the organiser gave you");
        }
        if (!token.chars().allMatch(each -> '!' <= each && each <= '~')) {
            throw invalid("the token holds characters that no token has; was it copied with a line break?");
        }
        var settings = new Settings(address, token, ca == null ? null : Path.of(ca), seed);
        settings.check();
        return settings;
    }

    private static String either(String given, String otherwise) {
        String chosen = given == null || given.isEmpty() ? otherwise : given;
        return chosen == null || chosen.isEmpty() ? null : chosen;
    }

    private static CutpurseException invalid(String text) {
        return new CutpurseException.SettingsInvalid(text);
    }

    /** Demands an address, and that the connection is encrypted or stays on this machine: a token read on the way is a seat lost. */
    private void check() {
        if (ca != null) {
            checkAuthority();
        }
        if (address.startsWith(UNIX)) {
            return;
        }
        Matcher found = HOST_AND_PORT.matcher(address);
        if (!found.matches() || Integer.parseInt(found.group(2)) < 1 || Integer.parseInt(found.group(2)) > 65_535) {
            throw invalid("\"%s\" is no address: write host:port, [ipv6]:port or unix:/path".formatted(address));
        }
        if (ca == null && !LOOPBACK.matcher(found.group(1)).matches()) {
            throw invalid(("%s is another machine, and without encryption anybody on the way could read the token: "
                    + "set CUTPURSE_CA to the file with the service's certificate authority (PEM)").formatted(address));
        }
    }

    private void checkAuthority() {
        String pem;
        try {
            pem = Files.readString(ca, StandardCharsets.ISO_8859_1);
        } catch (IOException error) {
            throw new CutpurseException.SettingsInvalid(
                    "cannot read the certificate file %s (CUTPURSE_CA): %s".formatted(ca, error), error);
        }
        if (!pem.contains("-----BEGIN CERTIFICATE-----")) {
            throw invalid("%s (CUTPURSE_CA) holds no certificate in PEM form".formatted(ca));
        }
    }

    /** A connection; whoever opens it closes it. */
    Connection open() {
        EpollEventLoopGroup loop = null;
        ManagedChannelBuilder<?> builder;
        if (address.startsWith(UNIX)) {
            loop = new EpollEventLoopGroup(1);
            builder = NettyChannelBuilder.forAddress(new DomainSocketAddress(socketFile()))
                    .channelType(EpollDomainSocketChannel.class)
                    .eventLoopGroup(loop)
                    .overrideAuthority("localhost")
                    .usePlaintext();
        } else if (ca == null) {
            builder = Grpc.newChannelBuilder(address, InsecureChannelCredentials.create());
        } else {
            try {
                builder = Grpc.newChannelBuilder(address, TlsChannelCredentials.newBuilder().trustManager(ca.toFile()).build());
            } catch (IOException error) {
                throw new CutpurseException.SettingsInvalid("%s (CUTPURSE_CA) cannot be used: %s".formatted(ca, error), error);
            }
        }
        var headers = new Metadata();
        headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
        ManagedChannel channel = builder
                .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
                .userAgent(Options.SDK)
                .maxInboundMessageSize(FRAME_BYTES_READ_MAX)
                // The SDK dials in again itself, with its own pauses, and sends again only what it knows to be without effect.
                .disableRetry()
                // A connection may die without a word: behind a router that was switched off a bot would wait for ever.
                .keepAliveTime(20, TimeUnit.SECONDS)
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .build();
        return new Connection(channel, loop);
    }

    private File socketFile() {
        String path = address.substring(UNIX.length());
        return new File(path.startsWith("//") ? path.substring(2) : path);
    }

    /**
     * An open channel and, for a unix socket, the threads that are its own.
     *
     * @param channel for stubs
     * @param loop null where gRPC's own threads do the work
     */
    record Connection(ManagedChannel channel, EpollEventLoopGroup loop) implements AutoCloseable {
        @Override
        public void close() {
            channel.shutdownNow();
            if (loop != null) {
                loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            }
        }
    }
}
