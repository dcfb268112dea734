// Gotos between all blocks: one irreducible loop, too large to be made of loops in loops. It runs one by one.

//: goto_graph
kernel void goto_graph(global const uint *in, global uint *out)
{
    int i = item();
    uint s = in[i], c = 0;
L0:
    s = s * 3u + 0;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L3;
L1:
    s = s * 5u + 1;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L10;
L2:
    s = s * 7u + 2;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L17;
L3:
    s = s * 9u + 3;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L24;
L4:
    s = s * 11u + 4;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L31;
L5:
    s = s * 13u + 5;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L38;
L6:
    s = s * 15u + 6;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L45;
L7:
    s = s * 17u + 7;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L52;
L8:
    s = s * 19u + 8;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L59;
L9:
    s = s * 21u + 9;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L66;
L10:
    s = s * 23u + 10;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L73;
L11:
    s = s * 25u + 11;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L80;
L12:
    s = s * 27u + 12;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L87;
L13:
    s = s * 29u + 13;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L94;
L14:
    s = s * 31u + 14;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L101;
L15:
    s = s * 33u + 15;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L108;
L16:
    s = s * 35u + 16;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L115;
L17:
    s = s * 37u + 17;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L122;
L18:
    s = s * 39u + 18;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L129;
L19:
    s = s * 41u + 19;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L136;
L20:
    s = s * 43u + 20;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L143;
L21:
    s = s * 45u + 21;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L150;
L22:
    s = s * 47u + 22;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L157;
L23:
    s = s * 49u + 23;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L164;
L24:
    s = s * 51u + 24;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L171;
L25:
    s = s * 53u + 25;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L178;
L26:
    s = s * 55u + 26;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L185;
L27:
    s = s * 57u + 27;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L192;
L28:
    s = s * 59u + 28;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L199;
L29:
    s = s * 61u + 29;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L206;
L30:
    s = s * 63u + 30;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L213;
L31:
    s = s * 65u + 31;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L220;
L32:
    s = s * 67u + 32;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L227;
L33:
    s = s * 69u + 33;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L234;
L34:
    s = s * 71u + 34;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L241;
L35:
    s = s * 73u + 35;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L248;
L36:
    s = s * 75u + 36;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L255;
L37:
    s = s * 77u + 37;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L262;
L38:
    s = s * 79u + 38;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L269;
L39:
    s = s * 81u + 39;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L276;
L40:
    s = s * 83u + 40;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L283;
L41:
    s = s * 85u + 41;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L290;
L42:
    s = s * 87u + 42;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L297;
L43:
    s = s * 89u + 43;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L4;
L44:
    s = s * 91u + 44;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L11;
L45:
    s = s * 93u + 45;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L18;
L46:
    s = s * 95u + 46;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L25;
L47:
    s = s * 97u + 47;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L32;
L48:
    s = s * 99u + 48;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L39;
L49:
    s = s * 101u + 49;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L46;
L50:
    s = s * 103u + 50;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L53;
L51:
    s = s * 105u + 51;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L60;
L52:
    s = s * 107u + 52;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L67;
L53:
    s = s * 109u + 53;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L74;
L54:
    s = s * 111u + 54;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L81;
L55:
    s = s * 113u + 55;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L88;
L56:
    s = s * 115u + 56;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L95;
L57:
    s = s * 117u + 57;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L102;
L58:
    s = s * 119u + 58;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L109;
L59:
    s = s * 121u + 59;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L116;
L60:
    s = s * 123u + 60;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L123;
L61:
    s = s * 125u + 61;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L130;
L62:
    s = s * 127u + 62;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L137;
L63:
    s = s * 129u + 63;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L144;
L64:
    s = s * 131u + 64;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L151;
L65:
    s = s * 133u + 65;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L158;
L66:
    s = s * 135u + 66;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L165;
L67:
    s = s * 137u + 67;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L172;
L68:
    s = s * 139u + 68;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L179;
L69:
    s = s * 141u + 69;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L186;
L70:
    s = s * 143u + 70;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L193;
L71:
    s = s * 145u + 71;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L200;
L72:
    s = s * 147u + 72;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L207;
L73:
    s = s * 149u + 73;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L214;
L74:
    s = s * 151u + 74;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L221;
L75:
    s = s * 153u + 75;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L228;
L76:
    s = s * 155u + 76;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L235;
L77:
    s = s * 157u + 77;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L242;
L78:
    s = s * 159u + 78;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L249;
L79:
    s = s * 161u + 79;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L256;
L80:
    s = s * 163u + 80;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L263;
L81:
    s = s * 165u + 81;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L270;
L82:
    s = s * 167u + 82;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L277;
L83:
    s = s * 169u + 83;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L284;
L84:
    s = s * 171u + 84;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L291;
L85:
    s = s * 173u + 85;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L298;
L86:
    s = s * 175u + 86;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L5;
L87:
    s = s * 177u + 87;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L12;
L88:
    s = s * 179u + 88;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L19;
L89:
    s = s * 181u + 89;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L26;
L90:
    s = s * 183u + 90;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L33;
L91:
    s = s * 185u + 91;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L40;
L92:
    s = s * 187u + 92;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L47;
L93:
    s = s * 189u + 93;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L54;
L94:
    s = s * 191u + 94;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L61;
L95:
    s = s * 193u + 95;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L68;
L96:
    s = s * 195u + 96;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L75;
L97:
    s = s * 197u + 97;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L82;
L98:
    s = s * 199u + 98;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L89;
L99:
    s = s * 201u + 99;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L96;
L100:
    s = s * 203u + 100;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L103;
L101:
    s = s * 205u + 101;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L110;
L102:
    s = s * 207u + 102;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L117;
L103:
    s = s * 209u + 103;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L124;
L104:
    s = s * 211u + 104;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L131;
L105:
    s = s * 213u + 105;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L138;
L106:
    s = s * 215u + 106;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L145;
L107:
    s = s * 217u + 107;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L152;
L108:
    s = s * 219u + 108;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L159;
L109:
    s = s * 221u + 109;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L166;
L110:
    s = s * 223u + 110;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L173;
L111:
    s = s * 225u + 111;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L180;
L112:
    s = s * 227u + 112;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L187;
L113:
    s = s * 229u + 113;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L194;
L114:
    s = s * 231u + 114;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L201;
L115:
    s = s * 233u + 115;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L208;
L116:
    s = s * 235u + 116;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L215;
L117:
    s = s * 237u + 117;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L222;
L118:
    s = s * 239u + 118;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L229;
L119:
    s = s * 241u + 119;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L236;
L120:
    s = s * 243u + 120;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L243;
L121:
    s = s * 245u + 121;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L250;
L122:
    s = s * 247u + 122;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L257;
L123:
    s = s * 249u + 123;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L264;
L124:
    s = s * 251u + 124;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L271;
L125:
    s = s * 253u + 125;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L278;
L126:
    s = s * 255u + 126;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L285;
L127:
    s = s * 257u + 127;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L292;
L128:
    s = s * 259u + 128;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L299;
L129:
    s = s * 261u + 129;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L6;
L130:
    s = s * 263u + 130;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L13;
L131:
    s = s * 265u + 131;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L20;
L132:
    s = s * 267u + 132;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L27;
L133:
    s = s * 269u + 133;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L34;
L134:
    s = s * 271u + 134;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L41;
L135:
    s = s * 273u + 135;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L48;
L136:
    s = s * 275u + 136;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L55;
L137:
    s = s * 277u + 137;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L62;
L138:
    s = s * 279u + 138;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L69;
L139:
    s = s * 281u + 139;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L76;
L140:
    s = s * 283u + 140;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L83;
L141:
    s = s * 285u + 141;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L90;
L142:
    s = s * 287u + 142;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L97;
L143:
    s = s * 289u + 143;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L104;
L144:
    s = s * 291u + 144;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L111;
L145:
    s = s * 293u + 145;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L118;
L146:
    s = s * 295u + 146;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L125;
L147:
    s = s * 297u + 147;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L132;
L148:
    s = s * 299u + 148;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L139;
L149:
    s = s * 301u + 149;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L146;
L150:
    s = s * 303u + 150;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L153;
L151:
    s = s * 305u + 151;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L160;
L152:
    s = s * 307u + 152;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L167;
L153:
    s = s * 309u + 153;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L174;
L154:
    s = s * 311u + 154;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L181;
L155:
    s = s * 313u + 155;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L188;
L156:
    s = s * 315u + 156;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L195;
L157:
    s = s * 317u + 157;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L202;
L158:
    s = s * 319u + 158;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L209;
L159:
    s = s * 321u + 159;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L216;
L160:
    s = s * 323u + 160;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L223;
L161:
    s = s * 325u + 161;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L230;
L162:
    s = s * 327u + 162;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L237;
L163:
    s = s * 329u + 163;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L244;
L164:
    s = s * 331u + 164;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L251;
L165:
    s = s * 333u + 165;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L258;
L166:
    s = s * 335u + 166;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L265;
L167:
    s = s * 337u + 167;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L272;
L168:
    s = s * 339u + 168;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L279;
L169:
    s = s * 341u + 169;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L286;
L170:
    s = s * 343u + 170;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L293;
L171:
    s = s * 345u + 171;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L0;
L172:
    s = s * 347u + 172;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L7;
L173:
    s = s * 349u + 173;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L14;
L174:
    s = s * 351u + 174;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L21;
L175:
    s = s * 353u + 175;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L28;
L176:
    s = s * 355u + 176;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L35;
L177:
    s = s * 357u + 177;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L42;
L178:
    s = s * 359u + 178;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L49;
L179:
    s = s * 361u + 179;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L56;
L180:
    s = s * 363u + 180;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L63;
L181:
    s = s * 365u + 181;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L70;
L182:
    s = s * 367u + 182;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L77;
L183:
    s = s * 369u + 183;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L84;
L184:
    s = s * 371u + 184;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L91;
L185:
    s = s * 373u + 185;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L98;
L186:
    s = s * 375u + 186;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L105;
L187:
    s = s * 377u + 187;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L112;
L188:
    s = s * 379u + 188;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L119;
L189:
    s = s * 381u + 189;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L126;
L190:
    s = s * 383u + 190;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L133;
L191:
    s = s * 385u + 191;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L140;
L192:
    s = s * 387u + 192;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L147;
L193:
    s = s * 389u + 193;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L154;
L194:
    s = s * 391u + 194;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L161;
L195:
    s = s * 393u + 195;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L168;
L196:
    s = s * 395u + 196;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L175;
L197:
    s = s * 397u + 197;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L182;
L198:
    s = s * 399u + 198;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L189;
L199:
    s = s * 401u + 199;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L196;
L200:
    s = s * 403u + 200;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L203;
L201:
    s = s * 405u + 201;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L210;
L202:
    s = s * 407u + 202;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L217;
L203:
    s = s * 409u + 203;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L224;
L204:
    s = s * 411u + 204;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L231;
L205:
    s = s * 413u + 205;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L238;
L206:
    s = s * 415u + 206;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L245;
L207:
    s = s * 417u + 207;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L252;
L208:
    s = s * 419u + 208;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L259;
L209:
    s = s * 421u + 209;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L266;
L210:
    s = s * 423u + 210;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L273;
L211:
    s = s * 425u + 211;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L280;
L212:
    s = s * 427u + 212;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L287;
L213:
    s = s * 429u + 213;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L294;
L214:
    s = s * 431u + 214;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L1;
L215:
    s = s * 433u + 215;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L8;
L216:
    s = s * 435u + 216;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L15;
L217:
    s = s * 437u + 217;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L22;
L218:
    s = s * 439u + 218;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L29;
L219:
    s = s * 441u + 219;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L36;
L220:
    s = s * 443u + 220;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L43;
L221:
    s = s * 445u + 221;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L50;
L222:
    s = s * 447u + 222;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L57;
L223:
    s = s * 449u + 223;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L64;
L224:
    s = s * 451u + 224;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L71;
L225:
    s = s * 453u + 225;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L78;
L226:
    s = s * 455u + 226;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L85;
L227:
    s = s * 457u + 227;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L92;
L228:
    s = s * 459u + 228;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L99;
L229:
    s = s * 461u + 229;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L106;
L230:
    s = s * 463u + 230;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L113;
L231:
    s = s * 465u + 231;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L120;
L232:
    s = s * 467u + 232;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L127;
L233:
    s = s * 469u + 233;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L134;
L234:
    s = s * 471u + 234;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L141;
L235:
    s = s * 473u + 235;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L148;
L236:
    s = s * 475u + 236;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L155;
L237:
    s = s * 477u + 237;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L162;
L238:
    s = s * 479u + 238;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L169;
L239:
    s = s * 481u + 239;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L176;
L240:
    s = s * 483u + 240;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L183;
L241:
    s = s * 485u + 241;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L190;
L242:
    s = s * 487u + 242;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L197;
L243:
    s = s * 489u + 243;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L204;
L244:
    s = s * 491u + 244;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L211;
L245:
    s = s * 493u + 245;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L218;
L246:
    s = s * 495u + 246;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L225;
L247:
    s = s * 497u + 247;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L232;
L248:
    s = s * 499u + 248;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L239;
L249:
    s = s * 501u + 249;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L246;
L250:
    s = s * 503u + 250;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L253;
L251:
    s = s * 505u + 251;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L260;
L252:
    s = s * 507u + 252;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L267;
L253:
    s = s * 509u + 253;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L274;
L254:
    s = s * 511u + 254;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L281;
L255:
    s = s * 513u + 255;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L288;
L256:
    s = s * 515u + 256;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L295;
L257:
    s = s * 517u + 257;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L2;
L258:
    s = s * 519u + 258;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L9;
L259:
    s = s * 521u + 259;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L16;
L260:
    s = s * 523u + 260;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L23;
L261:
    s = s * 525u + 261;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L30;
L262:
    s = s * 527u + 262;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L37;
L263:
    s = s * 529u + 263;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L44;
L264:
    s = s * 531u + 264;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L51;
L265:
    s = s * 533u + 265;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L58;
L266:
    s = s * 535u + 266;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L65;
L267:
    s = s * 537u + 267;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L72;
L268:
    s = s * 539u + 268;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L79;
L269:
    s = s * 541u + 269;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L86;
L270:
    s = s * 543u + 270;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L93;
L271:
    s = s * 545u + 271;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L100;
L272:
    s = s * 547u + 272;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L107;
L273:
    s = s * 549u + 273;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L114;
L274:
    s = s * 551u + 274;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L121;
L275:
    s = s * 553u + 275;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L128;
L276:
    s = s * 555u + 276;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L135;
L277:
    s = s * 557u + 277;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L142;
L278:
    s = s * 559u + 278;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L149;
L279:
    s = s * 561u + 279;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L156;
L280:
    s = s * 563u + 280;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L163;
L281:
    s = s * 565u + 281;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L170;
L282:
    s = s * 567u + 282;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L177;
L283:
    s = s * 569u + 283;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L184;
L284:
    s = s * 571u + 284;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L191;
L285:
    s = s * 573u + 285;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L198;
L286:
    s = s * 575u + 286;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L205;
L287:
    s = s * 577u + 287;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L212;
L288:
    s = s * 579u + 288;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L219;
L289:
    s = s * 581u + 289;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L226;
L290:
    s = s * 583u + 290;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L233;
L291:
    s = s * 585u + 291;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L240;
L292:
    s = s * 587u + 292;
    if (++c > 200)
        goto end;
    if (s & 16)
        goto L247;
L293:
    s = s * 589u + 293;
    if (++c > 200)
        goto end;
    if (s & 32)
        goto L254;
L294:
    s = s * 591u + 294;
    if (++c > 200)
        goto end;
    if (s & 64)
        goto L261;
L295:
    s = s * 593u + 295;
    if (++c > 200)
        goto end;
    if (s & 128)
        goto L268;
L296:
    s = s * 595u + 296;
    if (++c > 200)
        goto end;
    if (s & 1)
        goto L275;
L297:
    s = s * 597u + 297;
    if (++c > 200)
        goto end;
    if (s & 2)
        goto L282;
L298:
    s = s * 599u + 298;
    if (++c > 200)
        goto end;
    if (s & 4)
        goto L289;
L299:
    s = s * 601u + 299;
    if (++c > 200)
        goto end;
    if (s & 8)
        goto L296;
end:
    out[i] = s;
}
