"""Sound files for tests: 0.1 seconds of a 1,000 Hz tone at 48,000 samples per second, in each
format."""

from __future__ import annotations

import base64
import functools
import io
import wave
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RATE = 48_000


def wav(path: Path, samples: Any, rate: int = RATE, channels: int = 1) -> Path:
    """Write a WAV file of 16 bits."""
    path.write_bytes(wav_bytes(samples, rate, channels))
    return path


def wav_bytes(samples: Any, rate: int = RATE, channels: int = 1) -> bytes:
    """Return the bytes of a WAV file of 16 bits."""
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.asarray(samples, "<i2").tobytes())
    return buffer.getvalue()


def heard(path: Path) -> NDArray[np.int16]:
    """Return the captured samples: (n, 2)."""
    with wave.open(str(path)) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (RATE, 2, 2)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2)


@functools.cache
def tone(name: str) -> bytes:
    """Return the bytes of the file "tone.wav", "tone.flac", "tone.mp3" or "tone.ogg"."""
    if name == "tone.wav":
        return wav_bytes(np.sin(np.arange(4800) * 2 * np.pi * 1000 / RATE) * 16000)
    return zlib.decompress(base64.b85decode(_TONES[name]))


_TONES = {
    "tone.flac": (
        "c-l+zNpxmlU{DfZ5MW?nEMVYZ<KDsWfq_BjK;@K6{|&O!=Qd`}J@v`Sh`WV>K|=wkv?w(#wJ0?&IaMJiGs(@z(OJPz&qU8y!N|bK*uc!l7^s"
        "Bd|Bq7~3>p#)3~cLp9fW5v>=I6tVsTRNIF#e^R@C}dY4i8TM{U<%OfFG7WWv$nFtO!E=Pj-BEw9<%AMdJ;Uv%t+Z%c+CN24<5M&T_X?=!FQ-"
        "|rXsw%@h)!fcKUN`g#o!b$2GEAL%iBfnox^KD(X^g=Vi1ujY~J!(h%E(Y&i9${Z+6MXBhn7LDqvO|Xpr-X0E+(pZ){WjG7saU@Cmrh>G4Yx*"
        "t4k3ftg4V8n-{vO#{qfO1`%A=K&JDdxiUKN$W=dsUbKhDW{QdFKyz4JEjyiwT`J>Jsb^fUHN1Z?Fd?KCy;mQ9WRUC{=`!`AGglo)KF_G71*f"
        "tuzv~vCr=T!ix_JS?"
    ),
    "tone.mp3": (
        "c-s5_d&&_8bP$o5mky-(ftU@5ZZOoMfhp)<85-Du4&I@I|7ZYcmyM63udA`1p@9L*dYDs06;#+58W|YRfZTEC{)7aE;RXKxJ^~DXt|O{ZUk)"
        "%R-kh;|zqLXKgX;aQ+t<hKt@`?ZO3pgY1`EbULz%N590XVx*>&XkA2cYgk++{>srm39pS1w<uY-qYG|1QNu#h;y@cT6rn-RnB4~pmH_4u0~J"
        "W$|ZVrZ}fvVK@_s61fcU_PP4v?I?zhKHSjAugH0AyI%S!D0Q=hAX>|D0v#Vc+cNjbVw~>2S>b8%fE*a-VX#96f7)h)o)$UQ?Q^drD58R1sxg"
        "BruX!JjGFN9oXn$?qhg-%N=rgc?D3WO|5H?Hnd_sEo#p>Oi!wU}O#fk`%E{~$`ma!dDHiC{6;pjA*Bgr*^qzEOImZE=LruZlerJ}cv2!hp5u"
        "Y|ANGap$1Gxu+qTHts>3V#Hr-V=(fZ;nN{5n>|#R+D)9|_Ud=h&)zm7qT2jcOBMU|{e60Zf9*hUwXSUo;;SSV;&nUTmDeBO%#r*?J;(hTTTZ"
        "W{xH{j)M(9*k>>{coeW+N?<qRU65>W0I0X#`TY403_=YY46WiWsji<YOocfQG8}Po7GY;PAk4(<w2+ynalSE2{TUuX35EuiWg-$Y4DKW^5Nv"
        "5$pwQXGz_if#xXJyE3Eq;7IujIrHZU+TFtTh35nXS0sU*Yui+q5%=UlI>dqFvkN^&PoTXpPTcV@ND?!H@pm+zajJ5#D{S+e1*`~Uy{2(tR}>"
        "AR4jRB!0gDc6<(v)XT=U)4pYyoG*Tjf#r8a^-40Q0(Q~)0#ToAW}0kJ2*Jm+e_&Oj~xdveX1O}&v?{F*Zb~~1_h1g91AX+n8Od6_y5^ZBS21"
        "QV*^;s`Ttww$kXP7PoxtM1U`Bo)11Qqv^SJ`fcEB>9QohC@xajd>yrj;8KqVAmWu>JM*(v9-(o(%z_>()fkA<R!K8tKfrX0Z0|10jSCI"
    ),
    "tone.ogg": (
        "c-oa$dstIP7QZ0!79$`68{MF&gpx`yQ9@;x1|lSal1swVR3Sv<5vqjXgW{qF1Vuy$Da1&j5-_e<Z4HWD6)P_hf*~dW!6HRKMNzZ`T=&zRdxI"
        "|SAKUKz=FUBH=FB-WXU=ct+)W7yVURI2^Zd)|^*rS3;~H|^Xo*qAmuYc{0)%0d{i8wR#U>;4d)a6cG7_3S66yIaLFqj|`rYj3_#A^C66lUh+"
        "_C-BO=$_Zl*G7jl#8R|yga=;J=c1YaBeU!UdT;MO~BDoGZNFjOy%=Z)A5K}Tkz60`fm!L!M<RqAT@qlVhYb_u0it(s(-i<WDY^uOM@MovhNh"
        "JAqWFOm1oyVGTW|B{hYb~bfA4^9zqSB4ZO2AuK`fwS8JU!Zv&nHM~YtvK_*Z(-dvjYfcoU>)DowW1x#o6R)osQ_Y^zj_?F&_9&;(_r#|r=U1"
        "B~jYAyu4=4b9AvWJ6Qa^6>Xd0E_Hd`($gJH8ex=peS@4%+xUsxAqoTHvcg8SaW|G0Y(7q6Onu&F%}He?E;9VW>dK`wCqL4$K9#<54D}*`Uv`"
        "EF6@LxSM|5{`LiIryAQif$dtboN2pU?M2YQ<gnGgY!*$+Vn?t!oLziv245@T>%&nZoF7%s@B6r*OUD^OmCGo_%kafZ@x?>l#U`TMv&K+7;*v"
        "_Y!$aPM4}%JqCl+tpBT2}Yo-UU@QdC%?B9IXfL7oS@50CCHOxRP5*3#NUY0V!ke%ssJAwS^D)}2^G2~2Y}Lp|IEfj#wuU0c&U0tKX2!Mecof"
        "Y$WjTVmEN<z}n*n_!O4z|YQu7PhXnWL=jXxl2Rpv<qR9LNtG%gxT*$9SauXa&ns_DcgK?Q7q~f#L<pb=Kj_OOF$s6>LE^gNBXLhVj~@{RM?-"
        ";+{kC0SlOT`J0Va}MrA1~ry-d@g>Nr!t}MSJ6{zUeQn`WJV|&7^PSFi0r%{<ri&HF+OYD}KDS9Kp*r+?wk<$(KfXWx2SgCAa8T8FmiZ5iU8<"
        "asn<=;Dz++e{0)a!WJc&EjnY_^;Q8a{qts<AzeEhi7)vI<S(>|JVHN|vM_vni=0w&AOn94%bWP#g?}omR@z56pxVB*M&&VwYUUxIC9yS(>H$"
        ">FVOc?(J?rba>tNK&rDhRX$_qZ({tdi5I&W9%OAe_o#BDLU4`}lq^^3qCb&?0LRM>hyt66i!b`z)XAW<EDc0)<pImt8~4JsYr$gmtkN}s1;K"
        "2HXEd1E5gGibuZ4Y=ayUK00e#kh{^*uPxx6UJN5$eja-jF1$q~mD5L;yjH&QM3&qhw*PW#s5*jvY4H+=6J((TdtlC<d+No_|1;S#oxqh2V~I"
        "Pk*Oa5Q9|hRxGv@OtZcF_*HU>azx>W);0~HgW)LmQo6bf<8u0;V<5W%jm_fQN=4z<S5E39xJ~6FXU8iKU`aOxHj+bXkMXPz9cbUdZyvql=gF"
        "DSAMsAKn?&5C^XoW_7QR#iCBLCp6@+EUK!Tts|F5Dr!D#zIgLfu8<3;Kl?fBHFj)%|*eqZ6?>$-sJixJ~=t(=zXWBXQR#{VV=Jo=r_1>{ELE"
        "+xcf~9RcpJG<$?XfCdX0qpKc|hJy;4~V90mdB<V*NW@MrG9-;fJzQ-OMDJK<vX<EVoZ?SDs?UZBVXJQ9!c*ZdYEs$7CpLoUOo;c7XRh#&TZN"
        "0w}-;!kD|ri@=#XB1^Nu%Vk`ZOO062P8pUR?4~PZf^G`_IE*yYRP@I(mWqNuDFTi+#)8*F1meX6+Gz~gv`(y}YXX?vB<8QdYN4+>okQ0IhuP"
        "8C+5jdyBtpqovv@JxB+XsWBr{oTCYj&MV)so3Ya}6hEuYC2#?<p;ck}zEd^HzAlYc**6SIroJH?C99}PrRMF3U8kO(b5OvvZh(ew-15fYlVl"
        "oufpZYky6*9WMDG_9D!6!Kz9IRhEIsHqVBZ$h>t2lNhJ5^@|<2i8^qLt8*^1h02d>isqQ`lfOc&{?V3WHpPUVGDuXJ{_VeLdgT1-ctTR1gCe"
        "B%uMH~*}SN9c2qd8cZw4=DP*#<VoG^P?-YMvQEsm;YcQR|K{SU)O=k7!ONVvB!RcU4Jy@VnBg`6@6eg4lIny-#Z&_?f7FWsJGMzJ^c+)abaO"
        "TX|nP-;Q-EaSN-s;C!{nu8Bg?-cf`w9Kmj!g{xtL1od-%rG`dO`oSa~{`Ut=`9r+*^~_S2Om{E03>STQzot*njOid$v~3j#-ndEzKEn*f-RZ"
        "HR!$mgQ3`-tbyJ8Vs}^Q>yHjjX0@k`t^e~^-@NR&a`f4omb5oMqq_=KFRU#<Kq0Z=S!HeS{QXiW&kov(NwXo&b%CwHc_6o;G8S+#UZd6V9dr"
        "wMwF84rh_j}Sl!-ei_$sl4iYMgQMqA0792kjp%JAeQf)2w-t`a-?;|Vpoq~JQOGttyVu#qt$1E(A4(0PrXPPc)d;J|gBbfMawJ1i4h`?xO_i"
        "5c$1QgNKMqA46ctgL2nlP?TAa8*@ehYju*KnI^V?8xn)AjV||<2o>xa1fwC6~#>fRN?W>9TYlH<@3l5j0h$)J23L=fGWJA8K@#ONBYwV5^)>"
        ">-`o?|(a<c3F{@G*F$%zRV+tsjbV>8%O_2uU1<FZB#JJ-IcQP2kCr{psJ4;bYl9MisIB>g^!@6YE)mmLr$c5p1aUH%Rj`5uhX7j0Ffe!w7V!"
        "bYjPaMI{7{}{?DuV7F=s=BYoxwVEJ-}Cbpi0p!O;+7#E#qz?=&;-l-)2d2XTy{<rU*dY+8Z2)Wuc}3wiYOCMQ+WGB2$+ZS;-w-Q<(sEZ;>4="
        "Vl<ZtFpPHD!B7UH98h$;xR}AH%YhjTg%ZHl5`k^X9dRVK5;=7I+@b6nJ3Vf{3Sg3Xy%$`&>}VQ*$_#{~Cb6~k1Oo>IFv4N6wL;;2J0vmEgUF"
        "vkWrP3@A)0iA(>Ix=A+hyB9ysS?g(yeI=SCu&-g-WVl6oH?Vo`2v*}W^{Z?3JfZha9v2Wqs#LfMunk&6ebw|ksNXJraOvDQ>mmmF&<asyF=@"
        "XH}+Ya_Us8bw~A+uIlr4%~~lrs(84a9PGFKn18=2HN~z6?&`w-_=6sQN$qh;N8}nPs~@+xchT*&ze9#fqa?^V$|ocYxP~vVMh@R)8(b>iK94"
        "iG0doAtLQ;;xi0$1g|v-e7nBY$1t1uslL#%2+@~N)qmzk%a+Av)xo3&GXn(pw>Buc0>!V>H0;bw9RSX{?wroxwZ}?glcUCz95))sg1GkPm+A"
        "ny42&<GJ`wp#Zj!ZsBF&oS@g8Jv#Kp2ZPs`JI^;oi=hQ8&3l*?xJ%7MZ{X062g_1ZvQHI0!$(6BW(ys>HCDfwx>7%J{%z+%m`^epsA7!^6uF"
        "o`C}Sw%d%WK<^A?`+<Vr%T>dS846SuE+3p*C3;UGc2UY*ZVy2_9)K%xtI5fDR+Q-Iip{$rH1NTNk5fgb;MXIL&TYdr;c_kU%`&Am{vfs{7%v"
        "i+s))IHB@QuG3+I4r7K5Zt#`}%kJd2DVGjj_V@{8SH<u5YFoN8>meEA~y+o8ti1_gMS=38j}n8d}9$EThT=lJEetiRVhH{I#MfltSMFjUL|O"
        "w%urWl-Y{i?!<}a#!|0Fgf`xY=-{Afdg|s1htxC7O1g-hg!{o^4iSlbTlQn12vjKjj_f70i;&-;DnLwQZFiO`{7^D#Ke%h7^5`$A868O`=9?"
        "ng#Wq2^q|?2HEwQhp+!%XyWW*rJ^vGQfcg)D5l9yxk3gHMLvLU1sTkd3EG-{@ynK58CmCH`YezrHk^W-jn>uhUE3=^K@@w^6RB7n5H?AkYdG"
        "Tvq>&~yLHz1fWd0SrbeASIFPcPZVy*?TQueNnI*v~$;#R}T-6*hS5<o(5<{kHszaYW8L<>{2Y)7=7*sbTKfHx$N@=b;??my1fmQMnm?8Qkl&"
        "ZI#<xNi&Nb{l*G<(8cUKG+~nn5~hm8itZRc+<EM|&OP6iD4Y^{D}MO7@YK%*bD<(!5s(+%+_mb2*AE@T*}i6t)8w_8Wmzfmg((Zlaf{}J#Lg"
        "q-97!|ZD%mI7czr|d>M*k<^|Fo_zwEyy*S@(C#v+lMm$hWH^!SW^;l$kp<*hm64ngF1tM-jtTXFsQUH$QWM9$NmwLK1hcO%p>#{%j~U+*3~0"
        "$$EvR%c9owmRd|7V%#%ZDF-_tn_IAY;CmI`w~ebn0bd*HT%AW`)7Sp@xNV`-yM>`$6^@1<3ZYIETew|`i!@H"
    ),
}
